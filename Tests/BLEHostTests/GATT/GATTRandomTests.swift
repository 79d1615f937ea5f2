import BLEAdapter
import BLECore
import BLEHost
import BLEWire
import Testing

/// Random octets, as bounded and repeatable runs.
@Suite struct GATTRandomTests {
  @Test(
    "A1 a server answers random requests at most once, within the MTU, and keeps working",
    arguments: [0x5EED_0010, 0x5EED_0011, 0x5EED_0012] as [UInt64])
  func aServerAnswersRandomRequestsAtMostOnce(seed: UInt64) {
    let entropy = SeededEntropy(seed: seed)
    let server = GATTServer()
    server.addGenericServices(name: "Device")
    let application = TestApplication()
    application.server = server
    for number in 1...3 as ClosedRange<UInt32> {
      _ = server.publish(.example(number, characteristics: 4, properties: 0xBE), application: application)
    }
    let opcodes: [UInt8] = [
      0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x0E, 0x10, 0x12, 0x16, 0x18, 0x1E, 0x20, 0x52, 0xD2,
    ]
    let client = RawClient(server)
    for _ in 0..<20_000 {
      var pdu = [opcodes[Int(entropy.uniform(0..<UInt64(opcodes.count)))]]
      // Mostly handles that exist, types that matter, and lengths that may fit.
      for _ in 0..<entropy.uniform(0..<5) {
        pdu += [UInt8(entropy.uniform(0..<80)), entropy.uniform(0..<20) == 0 ? 0xFF : 0]
      }
      switch entropy.uniform(0..<4) {
      case 0: pdu += [UInt8(entropy.uniform(0..<6)), 0x28]
      case 1: pdu += entropy.octets(Int(entropy.uniform(0..<20)))
      default: break
      }
      client.bearer.receive(pdu[...])
      let answers = client.channel.take()
      let role = ATTOpcode(pdu[0]).role
      #expect(answers.count <= 1 || role == .confirmation, "seed \(seed)")
      #expect(answers.allSatisfy { $0.count <= client.bearer.mtu }, "seed \(seed)")
      if role == .request { #expect(answers.count == 1, "seed \(seed) \(pdu.hexadecimal)") }
    }
    client.link.close()
  }

  @Test(
    "A2 discovering a peer with random answers ends", arguments: [0x5EED_0020, 0x5EED_0021, 0x5EED_0022] as [UInt64])
  func discoveringAPeerWithRandomAnswersEnds(seed: UInt64) async {
    let entropy = SeededEntropy(seed: seed)
    for _ in 0..<100 {
      let loop = VirtualLoop()
      let channel = RawChannel()
      let database = RemoteDatabase(client: GATTClient(bearer: ATTBearer(loop: loop, channel: channel)), loop: loop)
      var open = 0
      func done<Value>(_ result: Result<Value, OperationError>) { open -= 1 }
      let observer = TestObserver()
      let service = RemoteService(uuid: BLEUUID(0x180D), handles: .first ... .last, isPrimary: true)
      let characteristic = RemoteCharacteristic(
        uuid: BLEUUID(0x2A37), declaration: .first, value: AttributeHandle(2), end: AttributeHandle(0xFFF0),
        properties: 0x30)
      open = 6
      database.discoverServices(nil, done)
      database.discoverIncludedServices(nil, of: service, done)
      database.discoverCharacteristics(nil, of: service, done)
      database.discoverDescriptors(of: characteristic, done)
      database.setNotify(true, for: characteristic, by: observer, done)
      database.read(AttributeHandle(2), done)
      var requests = 0
      while let request = channel.sent.first, requests < 2000 {
        channel.sent.removeFirst()
        requests += 1
        database.client.bearer.receive(Self.answer(to: request, entropy)[...])
        // Anything that is no answer to the request: then it is refused.
        database.client.bearer.receive([0x01, request[0], 0, 0, 0x0A])
      }
      await loop.run(until: .quiet(limit: .zero + .seconds(1)))
      #expect(open == 0, "seed \(seed)")
      #expect(requests < 2000, "seed \(seed)")
      database.close()
      database.client.bearer.close()
    }
  }

  /// A list of the right form, often with handles that continue where the request starts.
  private static func answer(to request: [UInt8], _ entropy: SeededEntropy) -> [UInt8] {
    let opcode = request[0] + 1
    guard request.count >= 5, entropy.uniform(0..<6) != 0 else {
      return [opcode] + entropy.octets(Int(entropy.uniform(0..<22)))
    }
    var handle = UInt64(request[1]) | UInt64(request[2]) << 8
    var list: [UInt8] = []
    let size = [0x05: 4, 0x09: [4, 6, 7, 8][Int(entropy.uniform(0..<4))], 0x11: 6][Int(opcode)] ?? 4
    while list.count + size <= 20, handle < 0xFFFF {
      handle += entropy.uniform(0..<2000)
      var entry = [UInt8(truncatingIfNeeded: handle), UInt8(truncatingIfNeeded: handle >> 8)]
      if opcode == 0x11 || opcode == 0x07 {
        handle += entropy.uniform(0..<2000)
        entry += [UInt8(truncatingIfNeeded: handle), UInt8(truncatingIfNeeded: handle >> 8)]
      }
      entry += entropy.octets(size - entry.count)
      list += entry
      handle += 1
    }
    switch opcode {
    case 0x05: return [opcode, 1] + list
    case 0x09, 0x11: return [opcode, UInt8(size)] + list
    default: return [opcode] + list
    }
  }
}
