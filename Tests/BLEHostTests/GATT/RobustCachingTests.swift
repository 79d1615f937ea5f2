import BLEAdapter
import BLECore
import BLEHost
import BLEWire
import Testing

@Suite struct RobustCachingTests {
  private func makeServer() -> (GATTServer, TestApplication) {
    let server = GATTServer()
    server.addGenericServices(name: "Device")
    let application = TestApplication()
    application.server = server
    application.values = [0x100: [1]]
    _ = server.publish(.example(1, characteristics: 1), application: application)
    return (server, application)
  }

  @Test("a client that was not notified of a change gets Out Of Sync once, then counts as aware")
  func aClientThatWasNotNotifiedOfAChangeGets() {
    let (server, application) = makeServer()
    let client = RawClient(server)
    #expect(client.ask("120b0001") == ["13"])
    #expect(client.ask("0a1200") == ["0b01"])
    _ = server.publish(.example(2, characteristics: 1), application: application)
    // Commands are ignored, discovery continues, anything else is refused once.
    #expect(client.ask("52120009") == [])
    #expect(client.ask("04010001 00".filter { $0 != " " }).first?.hasPrefix("05") == true)
    #expect(client.ask("080100ffff0328").first?.hasPrefix("09") == true)
    #expect(client.ask("0a1200") == ["010a000012"])
    #expect(client.ask("0a1200") == ["0b01"])
    #expect(application.writes.isEmpty)
  }

  @Test("reading the hash makes a client aware")
  func readingTheHashMakesAClientAware() {
    let (server, application) = makeServer()
    let client = RawClient(server)
    #expect(client.ask("120b0001") == ["13"])
    _ = server.publish(.example(2, characteristics: 1), application: application)
    #expect(client.ask("080100ffff2a2b") == ["09120d00" + server.database.databaseHash.hexadecimal])
    #expect(client.ask("0a1200") == ["0b01"])
  }

  @Test("a client without robust caching is served whatever has changed")
  func aClientWithoutRobustCachingIsServedWhateverHasChanged() {
    let (server, application) = makeServer()
    let client = RawClient(server)
    _ = server.publish(.example(2, characteristics: 1), application: application)
    #expect(client.ask("0a1200") == ["0b01"])
  }

  @Test("changes are indicated one at a time, merged, and a confirmation makes the client aware")
  func changesAreIndicatedOneAtATime() {
    let (server, application) = makeServer()
    let client = RawClient(server)
    #expect(client.ask("1209000200") == ["13"])
    #expect(client.ask("120b0001") == ["13"])
    let second = server.publish(.example(2, characteristics: 1), application: application)
    _ = server.publish(.example(3, characteristics: 1), application: application)
    if let second { server.remove(second) }
    #expect(client.channel.take().map(\.hexadecimal) == ["1d0800" + "1400" + "1700"])
    #expect(client.ask("1e") == ["1d0800" + "1400" + "1b00"])
    #expect(client.ask("1e") == [])
    #expect(client.ask("0a1200") == ["0b01"])
  }

  @Test("values are held back until a client is aware again, and are then sent in order")
  func valuesAreHeldBackUntilAClientIsAwareAgain() {
    let (server, application) = makeServer()
    let client = RawClient(server)
    let handle = AttributeHandle(0x12)
    #expect(client.ask("1213000100") == ["13"])
    #expect(client.ask("1209000200") == ["13"])
    #expect(client.ask("120b0001") == ["13"])
    _ = server.publish(.example(2, characteristics: 1), application: application)
    #expect(client.channel.take().count == 1)
    for value in 1...3 { #expect(client.link.update(handle, [UInt8(value)])) }
    #expect(client.channel.take().isEmpty)
    #expect(client.ask("1e") == ["1b120001", "1b120002", "1b120003"])
    // A client that was not notified gets no value until it sends a request.
    #expect(client.ask("1209000000") == ["13"])
    _ = server.publish(.example(3, characteristics: 1), application: application)
    for _ in 0..<100 { client.link.update(handle, [9]) }
    #expect(client.channel.take().isEmpty)
    #expect(client.ask("0a1300") == ["010a000012"])
    let answers = client.ask("0a1300")
    #expect(answers.count == 65 && answers.last == "0b0100" && answers.first == "1b120009")
    // The link's end counts as sent.
    _ = server.publish(.example(4, characteristics: 1), application: application)
    var sent = 0
    client.link.update(handle, [9]) { sent += 1 }
    client.link.close()
    #expect(sent == 1)
  }

  @Test("a bonded client is notified of a change that it missed")
  func aBondedClientIsNotifiedOfAChange() {
    let (server, application) = makeServer()
    let client = RawClient(server)
    #expect(client.ask("1209000200") == ["13"])
    let state = client.link.state
    client.link.close()
    #expect(RawClient(server, state: state).channel.sent.isEmpty)
    _ = server.publish(.example(2, characteristics: 1), application: application)
    #expect(RawClient(server, state: state).channel.sent.map(\.hexadecimal) == ["1d08000100ffff"])
  }

  @Test("a change is reported to the users of the peer, and the changed range is discovered again")
  func aChangeIsReportedToTheUsersOfThePeer() async {
    let (server, application) = makeServer()
    let pair = LinkPair(server: server)
    let observer = TestObserver()
    pair.database.add(observer)
    let before = try? await pair.result { pair.database.discoverServices(nil, $0) }?.get()
    #expect(before?.count == 1)
    let added = server.publish(.example(2, characteristics: 1), application: application)
    await pair.settle()
    #expect(observer.invalidated == [added?.handles].compactMap { $0 })
    let after = try? await pair.result { pair.database.discoverServices(nil, $0) }?.get()
    #expect(after?.count == 2)
    #expect(pair.database.layout.hash == server.database.databaseHash)
    if let added { server.remove(added) }
    await pair.settle()
    let last = try? await pair.result { pair.database.discoverServices(nil, $0) }?.get()
    #expect(last == before)
    #expect(observer.invalidated.count == 2)
  }

  @Test("A12 a flood of changes causes no request until a user makes one")
  func aFloodOfChangesCausesNoRequestUntilAUser() async {
    let (server, application) = makeServer()
    let pair = LinkPair(server: server)
    let observer = TestObserver()
    pair.database.add(observer)
    _ = await pair.result { pair.database.discoverServices(nil, $0) }
    let requests = pair.clientBearer.statistics.requestsSent
    for _ in 0..<1000 {
      pair.serverBearer.indicate(AttributeHandle(8), [1, 0, 0xFF, 0xFF])
      await pair.settle()
    }
    #expect(pair.clientBearer.statistics.requestsSent == requests)
    #expect(observer.invalidated.count == 1000)
    let services = try? await pair.result { pair.database.discoverServices(nil, $0) }?.get()
    #expect(services?.count == 1)
    // Invalid ranges are ignored.
    for value in [[], [1, 0], [9, 0, 1, 0]] as [[UInt8]] {
      pair.serverBearer.indicate(AttributeHandle(8), value[...])
      await pair.settle()
    }
    #expect(observer.invalidated.count == 1000)
    _ = application
  }

  @Test("an earlier layout is used without discovery where the hash is the same")
  func anEarlierLayoutIsUsedWithoutDiscoveryWhereTheHash() async {
    let (server, application) = makeServer()
    let first = LinkPair(server: server)
    let found = try? await first.result { first.database.discoverServices(nil, $0) }?.get()
    let layout = first.database.layout
    first.cut()
    let second = LinkPair(server: server, layout: layout)
    var requests = 0
    let again = try? await second.result { completion in
      second.database.discoverServices(nil) { result in
        requests = second.clientBearer.statistics.requestsSent
        completion(result)
      }
    }?.get()
    #expect(again == found && requests == 1)
    second.cut()
    _ = server.publish(.example(2, characteristics: 1), application: application)
    let third = LinkPair(server: server, layout: layout)
    let changed = try? await third.result { third.database.discoverServices(nil, $0) }?.get()
    #expect(changed?.count == 2)
  }

  @Test("Out Of Sync leads to a repeated operation where the layout is still valid, else to a new discovery")
  func outOfSyncLeadsToARepeatedOperation() async {
    let (server, application) = makeServer()
    let pair = LinkPair(server: server)
    let observer = TestObserver()
    pair.database.add(observer)
    _ = await pair.result { pair.database.discoverServices(nil, $0) }
    // The server reports a change, and nothing has changed.
    let configuration = AttributeHandle(9)
    _ = await pair.result { (done: @escaping (Result<Void, OperationError>) -> Void) in
      pair.client.configure([], at: configuration, done)
    }
    server.databaseDidChange(in: .first ... .last)
    #expect(await pair.result { pair.database.read(AttributeHandle(18), $0) } == .success([1]))
    #expect(observer.invalidated.isEmpty)
    // Now something has, and this side was not notified.
    _ = server.publish(.example(2, characteristics: 1), application: application)
    #expect(await pair.result { pair.database.read(AttributeHandle(18), $0) } == .failure(.attribute(code: 0x12)))
    #expect(observer.invalidated == [.first ... .last])
    let services = try? await pair.result { pair.database.discoverServices(nil, $0) }?.get()
    #expect(services?.count == 2)
    #expect(await pair.result { pair.database.read(AttributeHandle(18), $0) } == .success([1]))
  }

  @Test("A12 the hash that a client reads covers handles and types of descriptors, and no descriptors of unknown types")
  func hashOfDescriptors() {
    // The expected value was computed by another program: AES-CMAC with a key of zeros over the list of Core, Vol 3 Part G 7.3.1.
    let own = BLEUUID(high: 0xD000_0000_0000_0000, low: 1)
    let description = LocalDescriptor(uuid: BLEUUID(0x2901), value: Array("name".utf8))
    let format = LocalDescriptor(uuid: BLEUUID(0x2904), value: [UInt8](repeating: 0, count: 7))
    let unknown = LocalDescriptor(uuid: own, value: [1])
    let cases: [(what: String, descriptors: [LocalDescriptor], hash: String)] = [
      ("a description and a format", [description, format], "c36eeffbfd7e5effefcb940aa836a407"),
      (
        "the same with other values, and one of unknown type behind them",
        [
          LocalDescriptor(uuid: BLEUUID(0x2901), value: Array("other".utf8)),
          LocalDescriptor(uuid: BLEUUID(0x2904), value: [UInt8](repeating: 9, count: 7)), unknown,
        ], "c36eeffbfd7e5effefcb940aa836a407"
      ),
      (
        "one of another type", [LocalDescriptor(uuid: BLEUUID(0x2905), value: []), format],
        "69b5918aedd5e46bbf1a72e28afc425d"
      ),
      ("the same one handle further", [unknown, description, format], "cb9394774394b238a658fcbeab7a1238"),
      ("the description alone", [description], "80f96c454755cbe00099245eea22b7d5"),
    ]
    for (what, descriptors, hash) in cases {
      let server = GATTServer()
      server.addGenericServices(name: "Device")
      let application = TestApplication()
      application.server = server
      _ = server.publish(.example(1, characteristics: 1, descriptors: descriptors), application: application)
      let client = RawClient(server)
      #expect(client.ask("080100ffff2a2b") == ["09120d00" + hash], "\(what)")
    }
  }
}
