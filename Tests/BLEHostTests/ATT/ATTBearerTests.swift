import BLEAdapter
import BLECore
import BLEHost
import BLEWire
import Testing

/// A server with every kind of attribute, and a raw client.
private func makeServer(mtu: Int = 517) -> (ATTBearer, RawChannel, GATTServer, GATTServerLink) {
  let channel = RawChannel()
  let bearer = ATTBearer(loop: VirtualLoop(), channel: channel, receiveMTU: mtu)
  let server = GATTServer()
  server.addGenericServices(name: "Device")
  return (bearer, channel, server, server.makeLink(on: bearer))
}

@Suite struct ATTBearerTests {
  @Test("A1 a server survives every opcode at every length and answers as the specification says")
  func aServerSurvivesEveryOpcodeAtEveryLengthAndAnswers() {
    for opcode in UInt8.min...UInt8.max {
      let (bearer, channel, server, link) = makeServer()
      _ = (server, link)
      let code = ATTOpcode(opcode)
      for length in 1...(ATTLimits.defaultMTU + 1) {
        bearer.receive(([opcode] + [UInt8](repeating: 0x01, count: length - 1))[...])
        let answers = channel.take()
        let isRequest = code.role == .request || code.role == nil
        let confirms = code == .handleValueIndication && (3...ATTLimits.defaultMTU).contains(length)
        #expect(answers.count == (isRequest || confirms ? 1 : 0), "opcode \(opcode) length \(length)")
        if length > ATTLimits.defaultMTU, isRequest, code != .exchangeMTURequest {
          #expect(answers == [[0x01, opcode, 0, 0, 0x04]])
        }
      }
      // Whatever it was, the bearer stays open.
      bearer.receive([0x0A, 0x03, 0x00])
      #expect(channel.take() == [[0x0B] + Array("Device".utf8)], "after opcode \(opcode)")
    }
  }

  @Test("A1 requests shorter than their fixed part are answered with Invalid PDU")
  func requestsShorterThanTheirFixedPartAreAnsweredWithInvalid() {
    let (bearer, channel, server, link) = makeServer()
    _ = (server, link)
    for pdu in [[0x02, 1], [0x04, 1, 0, 2], [0x08, 1, 0, 2, 0, 3], [0x0A, 1], [0x0C, 1, 0, 2], [0x12, 1], [0x18]]
      as [[UInt8]]
    {
      bearer.receive(pdu[...])
      #expect(channel.take() == [[0x01, pdu[0], 0, 0, 0x04]])
    }
    #expect(bearer.statistics.malformed == 7)
  }

  @Test("A1 a client survives every response to every request at every length")
  func aClientSurvivesEveryResponseToEveryRequest() {
    let seed: UInt64 = 0x5EED_00A1
    let entropy = SeededEntropy(seed: seed)
    let types = [GATTType.include, GATTType.characteristic, GATTType.deviceName]
    for opcode in stride(from: UInt8(0x01), through: 0x23, by: 2) {
      for length in 1...(ATTLimits.defaultMTU + 1) {
        let channel = RawChannel()
        let client = GATTClient(bearer: ATTBearer(loop: VirtualLoop(), channel: channel))
        client.discoverServices { _ in }
        client.discoverServices(with: GATTType.genericAccess) { _ in }
        client.findIncludedServices(from: .first, through: .last) { _ in }
        client.discoverCharacteristics(from: .first, through: .last) { _ in }
        client.discoverDescriptors(from: .first, through: .last) { _ in }
        client.readValues(of: types[length % 3], from: .first, through: .last) { _ in }
        client.readLong(.first) { _ in }
        client.readMultiple([.first, .last]) { _ in }
        client.readMultipleVariable([.first, .last]) { _ in }
        client.writeLong([1, 2, 3], to: .first, checksEcho: true) { _ in }
        // Each request in turn gets this response; a response of another type is dropped, and an error ends the procedure.
        for _ in 0..<40 {
          guard let request = channel.sent.last else { break }
          channel.sent = []
          let body = entropy.octets(length - 1)
          client.bearer.receive(([opcode] + body)[...])
          if channel.sent.isEmpty { client.bearer.receive([0x01, request[0], 0, 0, 0x0A]) }
        }
        #expect(client.bearer.isOpen, "seed \(seed)")
      }
    }
  }

  @Test("A1 a response longer than the MTU is truncated to it")
  func aResponseLongerThanTheMTUIsTruncated() {
    let channel = RawChannel()
    let client = GATTClient(bearer: ATTBearer(loop: VirtualLoop(), channel: channel))
    var value: ArraySlice<UInt8>?
    client.readLong(.first) { value = try? $0.get() }
    client.bearer.receive(([0x0B] + [UInt8](repeating: 7, count: 23))[...])
    #expect(channel.sent == [[0x0A, 1, 0], [0x0C, 1, 0, 22, 0]])
    client.bearer.receive([0x0D, 8])
    #expect(value == ([UInt8](repeating: 7, count: 22) + [8])[...])
    #expect(client.bearer.statistics.oversized == 1)
  }

  @Test("A7 a second request before the answer is ignored, and the first is answered")
  func aSecondRequestBeforeTheAnswerIsIgnored() {
    let (bearer, channel, server, link) = makeServer()
    let application = TestApplication()
    application.server = server
    application.answersAtOnce = false
    application.values = [0x100: [1, 2, 3]]
    let service = server.publish(.example(1, characteristics: 1), application: application)
    let handle = service?.values.values.first?.rawValue ?? 0
    bearer.receive([0x0A, UInt8(handle), 0])
    bearer.receive([0x0A, 0x03, 0x00])
    bearer.receive([0x02, 0x40, 0x00])
    #expect(channel.take().isEmpty)
    #expect(bearer.statistics.overlappingRequests == 2)
    application.answer(application.reads[0])
    application.answer(application.reads[0])
    #expect(channel.take() == [[0x0B, 1, 2, 3]])
    link.close()
  }

  @Test("A7 a peer that reads no responses is sent none")
  func aPeerThatReadsNoResponsesIsSentNone() {
    let (bearer, channel, server, link) = makeServer()
    _ = (server, link)
    channel.isCongested = true
    for pdu in [[0x0A, 3, 0], [0x3F], [0x0A], [0x02, 0, 2], [0x1D, 3, 0, 1]] as [[UInt8]] { bearer.receive(pdu[...]) }
    #expect(channel.take().isEmpty)
    #expect(bearer.statistics.unanswered == 5)
    channel.isCongested = false
    bearer.receive([0x0A, 3, 0])
    #expect(channel.take().count == 1)
  }

  @Test("A7 responses without a request and of the wrong type are dropped")
  func responsesWithoutARequestAndOfTheWrongType() {
    let channel = RawChannel()
    let client = GATTClient(bearer: ATTBearer(loop: VirtualLoop(), channel: channel))
    client.bearer.receive([0x0B, 1])
    client.bearer.receive([0x01, 0x0A, 0, 0, 1])
    var results: [ArraySlice<UInt8>?] = []
    client.read(.first) { results.append(try? $0.get()) }
    client.bearer.receive([0x0D, 1])
    client.bearer.receive([0x13])
    client.bearer.receive([0x01, 0x0C, 0, 0, 1])
    #expect(results.isEmpty)
    client.bearer.receive([0x0B, 5])
    client.bearer.receive([0x0B, 6])
    #expect(results == [[5]])
    #expect(client.bearer.statistics.unsolicitedResponses == 6)
  }

  @Test("A7 a request that is not answered within 30 s closes the bearer and fails later ones")
  func aRequestThatIsNotAnsweredWithin30SCloses() async {
    let loop = VirtualLoop()
    let channel = RawChannel()
    let client = GATTClient(bearer: ATTBearer(loop: loop, channel: channel))
    var results: [Result<ArraySlice<UInt8>, OperationError>] = []
    // An earlier exchange: the timer that it started must not end a later one early.
    client.read(.first) { results.append($0) }
    await loop.run(until: .instant(.zero + .seconds(20)))
    client.bearer.receive([0x0B, 5])
    client.read(.first) { results.append($0) }
    client.read(.last) { results.append($0) }
    await loop.run(until: .instant(.zero + .seconds(49)))
    #expect(results == [.success([5])])
    #expect(client.bearer.isOpen)
    await loop.run(until: .instant(.zero + .seconds(50)))
    #expect(results == [.success([5]), .failure(.timedOut), .failure(.notConnected)])
    #expect(!client.bearer.isOpen)
    channel.sent = []
    client.read(.first) { results.append($0) }
    client.bearer.receive([0x0B, 6])
    #expect(results.last == .failure(.notConnected))
    #expect(channel.sent.isEmpty)
  }

  @Test("A11 an indication that is never confirmed closes the bearer, and an unsolicited confirmation is ignored")
  func anIndicationThatIsNeverConfirmedClosesTheBearer()
    async
  {
    let loop = VirtualLoop()
    let channel = RawChannel()
    let bearer = ATTBearer(loop: loop, channel: channel)
    bearer.receive([0x1E])
    #expect(bearer.statistics.unsolicitedConfirmations == 1)
    var confirmations: [Bool] = []
    bearer.indicate(.first, [1]) { confirmations.append($0) }
    bearer.indicate(.first, [2]) { confirmations.append($0) }
    #expect(channel.take() == [[0x1D, 1, 0, 1]])
    bearer.receive([0x1E])
    #expect(channel.take() == [[0x1D, 1, 0, 2]])
    #expect(confirmations == [true])
    await loop.run(until: .instant(.zero + .seconds(30)))
    #expect(confirmations == [true, false])
    #expect(!bearer.isOpen)
  }

  @Test("A11 an indication without room is not confirmed, and affects nothing else")
  func anIndicationWithoutRoomIsNotConfirmed() {
    final class Shelf: ATTClientHandler {
      var room = 1
      func bearer(_ bearer: ATTBearer, didReceive value: ArraySlice<UInt8>, of handle: AttributeHandle) -> Bool {
        room -= 1
        return room >= 0
      }
    }
    let channel = RawChannel()
    let bearer = ATTBearer(loop: VirtualLoop(), channel: channel)
    let shelf = Shelf()
    bearer.client = shelf
    bearer.receive([0x1D, 1, 0, 9])
    #expect(channel.take() == [[0x1E]])
    bearer.receive([0x1D, 1, 0, 9])
    bearer.receive([0x1B, 1, 0, 9])
    #expect(channel.take() == [] && bearer.statistics.unconfirmed == 1)
    shelf.room = 1
    bearer.receive([0x1D, 1, 0, 9])
    #expect(channel.take() == [[0x1E]] && bearer.isOpen)
  }

  @Test("A4 several values in one notification are delivered only if all of it is valid")
  func severalValuesInOneNotificationAreDeliveredOnlyIfAll() {
    final class Sink: ATTClientHandler {
      var values: [[UInt8]] = []
      func bearer(_ bearer: ATTBearer, didReceive value: ArraySlice<UInt8>, of handle: AttributeHandle) -> Bool {
        values.append(Array(value))
        return true
      }
    }
    let bearer = ATTBearer(loop: VirtualLoop(), channel: RawChannel())
    let sink = Sink()
    bearer.client = sink
    bearer.receive([0x23, 3, 0, 1, 0, 9, 4, 0, 2, 0, 8, 7])
    #expect(sink.values == [[9], [8, 7]])
    // A length beyond the end, a truncated tuple, a single octet.
    bearer.receive([0x23, 3, 0, 1, 0, 9, 4, 0, 3, 0, 8, 7])
    bearer.receive([0x23, 3, 0, 1])
    bearer.receive([0x23, 3])
    #expect(sink.values.count == 2)
    #expect(bearer.statistics.malformed == 3)
  }

  @Test(
    "an MTU exchange leads both sides to the smaller MTU",
    arguments: [(517, 517, 517), (517, 185, 185), (23, 517, 23), (64, 100, 64)])
  func anMTUExchangeLeadsBothSidesToTheSmallerMTU(client: Int, server: Int, agreed: Int) async {
    let pair = LinkPair(clientMTU: client, serverMTU: server)
    let result = await pair.result { pair.client.exchangeMTU($0) }
    #expect(result == .success(agreed))
    #expect(pair.clientBearer.mtu == agreed && pair.serverBearer.mtu == agreed)
  }

  @Test("a server without MTU exchange leaves the MTU at 23, and an invalid answer does not lower it")
  func aServerWithoutMTUExchangeLeavesTheMTUAt23() {
    let channel = RawChannel()
    let client = GATTClient(bearer: ATTBearer(loop: VirtualLoop(), channel: channel))
    var agreed: Int?
    client.exchangeMTU { agreed = try? $0.get() }
    client.bearer.receive([0x01, 0x02, 0, 0, 0x06])
    #expect(agreed == 23)
    client.bearer.receive([0x02, 0x01, 0x00])
    #expect(client.bearer.mtu == 23)
  }
}
