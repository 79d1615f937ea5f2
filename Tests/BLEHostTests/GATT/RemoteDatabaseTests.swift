import BLEAdapter
import BLECore
import BLEHost
import BLEWire
import Testing

/// A server of `services` times `characteristics`, each with its client configuration.
private func makeServer(_ services: UInt32, _ characteristics: UInt32) -> (GATTServer, TestApplication) {
  let server = GATTServer()
  server.addGenericServices(name: "Device")
  let application = TestApplication()
  application.server = server
  for number in 1...services {
    _ = server.publish(.example(number, characteristics: characteristics), application: application)
  }
  return (server, application)
}

/// Everything that a program finds when it discovers a peer object by object.
private func walk(_ pair: LinkPair) async -> [RemoteService: [RemoteCharacteristic: [RemoteDescriptor]]] {
  var found: [RemoteService: [RemoteCharacteristic: [RemoteDescriptor]]] = [:]
  guard case .success(let services)? = await pair.result({ pair.database.discoverServices(nil, $0) }) else {
    return [:]
  }
  for service in services {
    found[service] = [:]
    let characteristics = await pair.result { pair.database.discoverCharacteristics(nil, of: service, $0) }
    for characteristic in (try? characteristics?.get()) ?? [] {
      let descriptors = await pair.result { pair.database.discoverDescriptors(of: characteristic, $0) }
      found[service]?[characteristic] = try? descriptors?.get()
    }
  }
  return found
}

@Suite struct RemoteDatabaseTests {
  @Test("I16.2 10 services of 5 characteristics are discovered in at most 13 requests at MTU 517")
  func tenServicesOf5CharacteristicsAreDiscoveredInAtMost() async {
    let (server, application) = makeServer(10, 5)
    let pair = LinkPair(server: server, fragmentLength: 251)
    await pair.exchangeMTU()
    let found = await walk(pair)
    #expect(found.count == 10)
    #expect(found.values.allSatisfy { $0.count == 5 && $0.values.allSatisfy { $0.map(\.uuid.short) == [0x2902] } })
    #expect(pair.clientBearer.statistics.requestsSent <= 13, "\(pair.clientBearer.statistics.requestsSent) requests")
    let before = pair.clientBearer.statistics.requestsSent
    #expect(await walk(pair) == found)
    #expect(pair.clientBearer.statistics.requestsSent == before)
    _ = application
  }

  @Test("I16.2 a characteristic that only a search by handle has named so far is found by its declaration")
  func declarationAmongKnownHandles() async throws {
    let (server, application) = makeServer(1, 2)
    let pair = LinkPair(server: server, fragmentLength: 251)
    await pair.exchangeMTU()
    let services = try #require(try await pair.result { pair.database.discoverServices(nil, $0) }?.get())
    let service = try #require(services.first)
    // A characteristic that seems to reach to the end of the service: its descriptors are searched by handle.
    let whole = RemoteCharacteristic(
      uuid: BLEUUID(0x2A00), declaration: service.handles.lowerBound, value: service.handles.lowerBound,
      end: service.handles.upperBound, properties: 0)
    _ = await pair.result { pair.database.discoverDescriptors(of: whole, $0) }
    let found = try await pair.result { pair.database.discoverCharacteristics(nil, of: service, $0) }?.get()
    #expect(found?.count == 2)
    _ = application
  }

  @Test("discovery finds the same at MTU 23, with descriptors of other kinds and gaps between services")
  func discoveryFindsTheSameAtMTU23() async {
    let application = TestApplication()
    let server = GATTServer()
    server.addGenericServices(name: "Device")
    func add(_ number: UInt32, _ descriptors: [LocalDescriptor], properties: UInt8) {
      var service = LocalService.example(number, characteristics: 3, properties: properties)
      service = LocalService(
        uuid: number % 2 == 0 ? BLEUUID(UInt16(0x1820 + number)) : service.uuid, isPrimary: true,
        characteristics: service.characteristics.map {
          LocalCharacteristic(
            identifier: $0.identifier, uuid: $0.uuid, properties: $0.properties, permissions: $0.permissions,
            value: $0.value, descriptors: descriptors)
        })
      _ = server.publish(service, application: application)
    }
    let description = LocalDescriptor(uuid: GATTType.characteristicUserDescription, value: [65])
    let own = LocalDescriptor(uuid: BLEUUID(high: 9, low: 9), value: [1])
    add(1, [description], properties: 0x12)
    add(2, [], properties: 0x02)
    let removed = server.publish(.example(9, characteristics: 2), application: application)
    add(3, [own, description], properties: 0x02)
    add(4, [own], properties: 0x20)
    if let removed { server.remove(removed) }
    var results: [[RemoteService: [RemoteCharacteristic: [RemoteDescriptor]]]] = []
    for mtu in [23, 64, 517] {
      let pair = LinkPair(server: server, clientMTU: mtu)
      await pair.exchangeMTU()
      results.append(await walk(pair))
      pair.cut()
    }
    #expect(results[0] == results[1] && results[1] == results[2])
    #expect(results[0].count == 4)
    let kinds = results[0].keys.sorted { $0.handles.lowerBound < $1.handles.lowerBound }.map { service in
      results[0][service]?.values.first?.map { $0.uuid.short } ?? []
    }
    #expect(kinds == [[0x2902, 0x2901], [], [nil, 0x2901], [0x2902, nil]])
  }

  @Test("client configurations that may not be read are still found")
  func clientConfigurationsThatMayNotBeReadAreStillFound() async {
    let server = GATTServer()
    func attribute(_ handle: UInt16, _ type: BLEUUID, _ value: [UInt8], _ permissions: AttributePermissions = .readable)
      -> Attribute
    { Attribute(handle: AttributeHandle(handle), type: type, permissions: permissions, content: .value(value)) }
    server.database.place([
      attribute(1, GATTType.primaryService, [0x0D, 0x18]),
      attribute(2, GATTType.characteristic, [0x10, 3, 0, 0x37, 0x2A]), attribute(3, BLEUUID(0x2A37), []),
      attribute(4, GATTType.clientCharacteristicConfiguration, [0, 0], AttributePermissions(write: .open)),
    ])
    let pair = LinkPair(server: server)
    let service = RemoteService(
      uuid: BLEUUID(0x180D), handles: AttributeHandle(1)...AttributeHandle(4), isPrimary: true)
    let found = await pair.result { pair.database.discoverCharacteristics(nil, of: service, $0) }
    guard case .success(let characteristics)? = found, let characteristic = characteristics.first else {
      Issue.record("no characteristic")
      return
    }
    let descriptors = await pair.result { pair.database.discoverDescriptors(of: characteristic, $0) }
    #expect((try? descriptors?.get())?.map(\.handle.rawValue) == [4])
  }

  @Test("services are filtered, and the stack's own are left out")
  func servicesAreFilteredAndTheStacksOwnAreLeftOut() async {
    let (server, application) = makeServer(3, 1)
    let pair = LinkPair(server: server)
    let all = try? await pair.result { pair.database.discoverServices(nil, $0) }?.get()
    #expect(all?.count == 3)
    let wanted = all?.last?.uuid ?? GATTType.genericAccess
    let some = try? await pair.result { pair.database.discoverServices([wanted, BLEUUID(0x1800)], $0) }?.get()
    #expect(some?.map(\.uuid) == [wanted])
    _ = application
  }

  @Test("included services are found with their UUIDs of both widths")
  func includedServicesAreFoundWithTheirUUIDsOfBothWidths() async {
    let server = GATTServer()
    let application = TestApplication()
    let short = server.publish(
      LocalService(uuid: BLEUUID(0x180F), isPrimary: false, characteristics: []), application: application)
    let long = server.publish(.example(1, characteristics: 0), application: application)
    let hidden = server.publish(
      LocalService(uuid: BLEUUID(high: 5, low: 6), isPrimary: false, characteristics: []), application: application)
    let including = server.publish(
      LocalService(uuid: BLEUUID(0x180D), isPrimary: true, characteristics: []),
      including: [short, long, hidden].compactMap { $0 }, application: application)
    let pair = LinkPair(server: server)
    let services = try? await pair.result { pair.database.discoverServices([BLEUUID(0x180D)], $0) }?.get()
    guard let service = services?.first, let including, service.handles == including.handles else {
      Issue.record("no service")
      return
    }
    let included = try? await pair.result { pair.database.discoverIncludedServices(nil, of: service, $0) }?.get()
    #expect(included?.map(\.uuid) == [short, long, hidden].compactMap { $0?.uuid })
    #expect(included?.map(\.isPrimary) == [false, true, false])
  }

  @Test("values of any length are read and written at any MTU", arguments: [0, 1, 21, 22, 23, 44, 45, 511, 512])
  func valuesOfAnyLengthAreReadAndWritten(length: Int) async {
    for mtu in [23, 100, 512, 517] {
      let (server, application) = makeServer(1, 1)
      let pair = LinkPair(server: server, clientMTU: mtu)
      await pair.exchangeMTU()
      let value = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
      let handle = AttributeHandle(18)
      let written: Result<Void, OperationError>? = await pair.result { pair.database.write(value, to: handle, $0) }
      #expect((try? written?.get()) != nil, "MTU \(mtu)")
      #expect(application.values == [0x100: value])
      #expect(await pair.result { pair.database.read(handle, $0) } == .success(value[...]), "MTU \(mtu)")
    }
  }

  @Test("operations run in the order in which they were requested")
  func operationsRunInTheOrderInWhichTheyWereRequested() async {
    let (server, application) = makeServer(1, 1)
    let pair = LinkPair(server: server)
    let handle = AttributeHandle(18)
    var log: [String] = []
    pair.database.write([1], to: handle) { _ in log.append("write") }
    for number: UInt8 in 2...5 {
      pair.database.writeCommand([number], to: handle) { log.append("sent \(number)") }
    }
    pair.database.read(handle) { result in log.append("read \((try? result.get()) ?? [])") }
    pair.database.discoverServices(nil) { _ in log.append("services") }
    pair.database.writeCommand([9], to: handle) { log.append("sent 9") }
    #expect(log.isEmpty)
    await pair.settle()
    #expect(log == ["write", "sent 2", "sent 3", "sent 4", "sent 5", "read [5]", "services", "sent 9"])
    #expect(application.writes.map { Array($0.parts[0].value) } == [[1], [2], [3], [4], [5], [9]])
  }

  @Test("10,000 writes without response that wait do not recurse")
  func tenThousandWritesWithoutResponseThatWaitDoNotRecurse() async {
    let (server, application) = makeServer(1, 1)
    let pair = LinkPair(server: server)
    var sent = 0
    pair.database.write([1], to: AttributeHandle(18)) { _ in }
    for _ in 0..<10_000 { pair.database.writeCommand([2], to: AttributeHandle(18)) { sent += 1 } }
    await pair.settle()
    #expect(sent == 10_000)
    #expect(application.writes.count == 10_001)
  }

  @Test("one subscription serves all users, and ends with the last")
  func oneSubscriptionServesAllUsers() async {
    let (server, application) = makeServer(1, 1)
    let pair = LinkPair(server: server)
    let first = TestObserver()
    let second = TestObserver()
    pair.database.add(first)
    pair.database.add(second)
    let found = await walk(pair)
    guard let characteristic = found.values.first?.keys.first else {
      Issue.record("no characteristic")
      return
    }
    func set(_ isOn: Bool, _ observer: TestObserver) async {
      let result = await pair.result { pair.database.setNotify(isOn, for: characteristic, by: observer, $0) }
      #expect((try? result?.get()) != nil)
    }
    func update(_ value: UInt8) async {
      server.clients.first?.update(characteristic.value, [value])
      await pair.settle()
    }
    // A11: before the subscription nothing is delivered, whatever the peer sends.
    pair.serverBearer.notify(characteristic.value, [0])
    await pair.settle()
    await set(true, first)
    await update(1)
    let requests = pair.clientBearer.statistics.requestsSent
    await set(true, second)
    await set(true, second)
    #expect(pair.clientBearer.statistics.requestsSent == requests)
    await update(2)
    await set(false, first)
    #expect(pair.clientBearer.statistics.requestsSent == requests)
    await update(3)
    pair.database.remove(second)
    await pair.settle()
    await update(4)
    #expect(first.values.map(\.value) == [[1], [2]])
    #expect(second.values.map(\.value) == [[2], [3]])
    #expect(application.subscriptions.map(\.configuration) == [.notification, []])
  }

  @Test("A11 a value that crosses the request to end its notifications is delivered, and none is behind the response")
  func aValueThatCrossesTheEndOfItsNotificationsIsDelivered() async {
    let (server, _) = makeServer(1, 1)
    let pair = LinkPair(server: server)
    let observer = TestObserver()
    guard let characteristic = await walk(pair).values.first?.keys.first else {
      Issue.record("no characteristic")
      return
    }
    pair.database.add(observer)
    let result = await pair.result { pair.database.setNotify(true, for: characteristic, by: observer, $0) }
    #expect((try? result?.get()) != nil)
    var isAnswered = false
    pair.database.setNotify(false, for: characteristic, by: observer) { _ in isAnswered = true }
    pair.serverBearer.notify(characteristic.value, [7])
    await pair.settle()
    #expect(isAnswered && observer.values.count == 1)
    pair.serverBearer.notify(characteristic.value, [8])
    await pair.settle()
    #expect(observer.values.count == 1)
  }

  @Test("A11 an indication is confirmed where all subscribers have room, else its sender times out")
  func anIndicationIsConfirmedWhereAllSubscribersHaveRoom() async {
    let (server, _) = makeServer(1, 1)
    let pair = LinkPair(server: server)
    let observers = [TestObserver(), TestObserver()]
    guard let characteristic = await walk(pair).values.first?.keys.first else {
      Issue.record("no characteristic")
      return
    }
    for observer in observers {
      pair.database.add(observer)
      let result = await pair.result { pair.database.setNotify(true, for: characteristic, by: observer, $0) }
      #expect((try? result?.get()) != nil)
    }
    var confirmations: [Bool] = []
    for hasRoom in [true, false] {
      observers[0].hasRoom = hasRoom
      pair.serverBearer.indicate(characteristic.value, [9]) { confirmations.append($0) }
      await pair.advance(by: .seconds(31))
    }
    #expect(confirmations == [true, false] && !pair.serverBearer.isOpen)
    #expect(observers.map(\.values.count) == [2, 2] && pair.clientBearer.statistics.unconfirmed == 1)
  }

  @Test("subscribing without property or without configuration fails with Apple's codes")
  func subscribingWithoutPropertyOrWithoutConfigurationFailsWithApplesCodes() async {
    let (server, application) = makeServer(1, 1)
    let pair = LinkPair(server: server)
    let observer = TestObserver()
    func subscribe(_ properties: UInt8, end: UInt16) async -> OperationError? {
      let characteristic = RemoteCharacteristic(
        uuid: BLEUUID(0x2A37), declaration: AttributeHandle(17), value: AttributeHandle(18), end: AttributeHandle(end),
        properties: properties)
      let result = await pair.result { pair.database.setNotify(true, for: characteristic, by: observer, $0) }
      if case .failure(let error)? = result { return error }
      return nil
    }
    #expect(await subscribe(0x02, end: 19) == .attribute(code: 0x06))
    #expect(await subscribe(0x10, end: 18) == .attribute(code: 0x0A))
    #expect(await subscribe(0x10, end: 19) == nil)
    _ = application
  }

  @Test("the peer's name is read, whatever its length")
  func thePeersNameIsRead() async {
    for name in ["", "D", "日本語", String(repeating: "n", count: 60)] {
      let server = GATTServer()
      server.addGenericServices(name: name)
      let pair = LinkPair(server: server)
      #expect(await pair.result { pair.database.readDeviceName($0) } == .success(name))
    }
    let server = GATTServer()
    server.addGenericServices(name: "Device")
    let named = LinkPair(server: server)
    #expect(await named.result { named.database.readDeviceName($0) } == .success("Device"))
    #expect(named.clientBearer.statistics.requestsSent == 1, "what follows the name is not searched")
    let pair = LinkPair()
    #expect(await pair.result { pair.database.readDeviceName($0) } == .failure(.attribute(code: 0x0A)))
  }

  @Test("after the end nothing is called, and calls fail")
  func afterTheEndNothingIsCalled() async {
    let (server, application) = makeServer(2, 2)
    let pair = LinkPair(server: server)
    var late: [String] = []
    pair.database.read(AttributeHandle(18)) { _ in late.append("read") }
    pair.database.write([1], to: AttributeHandle(18)) { _ in late.append("write") }
    pair.cut()
    var failure: OperationError?
    pair.database.read(AttributeHandle(18)) { if case .failure(let error) = $0 { failure = error } }
    #expect(failure == nil)
    await pair.settle()
    #expect(late.isEmpty)
    #expect(failure == .notConnected)
    _ = application
  }

  @Test("A6 a link that ends at any step of any operation leaves nothing behind")
  func aLinkThatEndsAtAnyStepOfAnyOperation() async {
    for step in 0..<60 {
      let (server, application) = makeServer(2, 2)
      let pair = LinkPair(server: server)
      var completions: [String: Int] = [:]
      func count(_ name: String) { completions[name, default: 0] += 1 }
      let observer = TestObserver()
      pair.database.discoverServices(nil) { _ in count("services") }
      let service = RemoteService(
        uuid: BLEUUID(0), handles: AttributeHandle(16)...AttributeHandle(22), isPrimary: true)
      pair.database.discoverCharacteristics(nil, of: service) { _ in count("characteristics") }
      let characteristic = RemoteCharacteristic(
        uuid: BLEUUID(0), declaration: AttributeHandle(17), value: AttributeHandle(18), end: AttributeHandle(19),
        properties: 0x10)
      pair.database.setNotify(true, for: characteristic, by: observer) { _ in count("notify") }
      pair.database.read(AttributeHandle(18)) { _ in count("read") }
      pair.database.write([UInt8](repeating: 1, count: 100), to: AttributeHandle(18)) { _ in count("long write") }
      pair.database.write([1], to: AttributeHandle(21)) { _ in count("write") }
      var left = step
      let cutWhenDue = { [unowned pair] in
        left -= 1
        if left == 0 { pair.cut() }
        return left > 0
      }
      pair.centralCarrier.filter = cutWhenDue
      pair.peripheralCarrier.filter = cutWhenDue
      if step == 0 { pair.cut() }
      await pair.settle()
      #expect(completions.values.allSatisfy { $0 == 1 }, "step \(step)")
      #expect(server.clients.isEmpty || left > 0, "step \(step)")
      _ = application
    }
  }
}
