import BLECapture
import BLECore
import BLEWire
import Testing

/// Which packets of a capture are shown, and what the devices in it are called.
@Suite struct CaptureSelectionTests {
  private static let address = DeviceAddress("C0:12:34:56:78:9A", kind: .random)
  private static let connected = HCIPacket(
    kind: .event,
    octets: [0x3E, 19, 0x01, 0, 0x40, 0, 0, 1, 0x9A, 0x78, 0x56, 0x34, 0x12, 0xC0, 24, 0, 0, 0, 72, 0, 0])
  private static let disconnected = HCIPacket(kind: .event, octets: [0x05, 4, 0, 0x40, 0, 0x16])

  private static func report(_ name: String, _ address: UInt64, isComplete: Bool = true) -> HCIPacket {
    let octets = Array(name.utf8)
    let data = [UInt8(octets.count + 1), isComplete ? 0x09 : 0x08] + octets
    return HCIPacket(
      LEAdvertisingReportEvent(reports: [
        LEAdvertisingReportEvent.Report(
          type: .connectable, address: HCIAddress(type: .random, value: address), data: data[...], rssi: -60)
      ]))
  }

  private func dissected(
    _ packets: [(HCIPacket, CaptureDirection)], _ dissection: CaptureDissection = CaptureDissection()
  ) -> [DissectedPacket] {
    packets.map {
      dissection.dissect(CapturedPacket(timestamp: .virtualOrigin, content: .hci($0.0, $0.1)))
    }
  }

  @Test("I14.7 a device is named once an advertisement or its Device Name says it, on its links and in commands for it")
  func names() throws {
    let handle: [UInt8] = [0x40, 0]
    let all = dissected([
      (Self.connected, .received), (Conversation.acl([0x0A, 0x03, 0x00]), .sent),
      (Conversation.acl([0x08, 1, 0, 0xFF, 0xFF, 0x00, 0x2A]), .sent),
      (Conversation.acl([0x09, 6, 3, 0] + Array("Lamp".utf8)), .received),
      (HCIPacket(kind: .command, octets: [0x06, 0x04, 3] + handle + [0x13]), .sent),
      (HCIPacket(kind: .event, octets: [0x0F, 4, 0, 1, 0x06, 0x04]), .received), (Self.disconnected, .received),
      (Conversation.acl([0x0B, 1]), .received), (Self.report("Lamp 2", 0xC012_3456_789A), .received),
      (Self.report("La", 0xC012_3456_789A, isComplete: false), .received),
    ])
    #expect(
      all.map(\.deviceName) == [nil, nil, nil, "Lamp", "Lamp", "Lamp", "Lamp", nil, "Lamp 2", "Lamp 2"])
    #expect(all[0].devices == [Self.address] && all[7].devices.isEmpty)
  }

  @Test(
    "I14.7 the set-up of a controller goes from a reset to the first command for advertising, scanning or connecting")
  func setup() {
    func command(_ opcode: UInt16) -> HCIPacket {
      HCIPacket(kind: .command, octets: [UInt8(opcode & 0xFF), UInt8(opcode >> 8), 0])
    }
    func complete(_ opcode: UInt16) -> HCIPacket {
      HCIPacket(kind: .event, octets: [0x0E, 4, 1, UInt8(opcode & 0xFF), UInt8(opcode >> 8), 0])
    }
    let packets: [(HCIPacket, CaptureDirection, isShown: Bool)] = [
      (command(0x0C03), .sent, false), (complete(0x0C03), .received, false), (command(0x1001), .sent, false),
      // A command for scanning overtakes the answer.
      (command(0x200C), .sent, true), (complete(0x1001), .received, false), (complete(0x200C), .received, true),
      (command(0x1009), .sent, true), (complete(0x1009), .received, true),
      // The controller is started again.
      (HCIPacket(kind: .event, octets: [0x10, 1, 1]), .received, true), (command(0x0C03), .sent, false),
      (complete(0x0C03), .received, false), (complete(0), .received, false), (command(0x2006), .sent, true),
      (complete(0), .received, true),
    ]
    var selection = CaptureSelection(includesSetup: false)
    let shown = dissected(packets.map { ($0.0, $0.1) }).map { selection.contains($0) }
    #expect(shown == packets.map(\.isShown))
    #expect(selection.setupCount == shown.count { !$0 })
    var whole = CaptureSelection(includesSetup: true)
    #expect(dissected(packets.map { ($0.0, $0.1) }).allSatisfy { whole.contains($0) })
  }

  @Test("I14.7 a capture that begins in the middle has no set-up of what links do")
  func middle() {
    var selection = CaptureSelection(includesSetup: false)
    let shown = dissected([
      (Conversation.acl([0x0B, 1]), .received), (HCIPacket(kind: .command, octets: [0x05, 0x14, 2, 0x40, 0]), .sent),
    ]).map { selection.contains($0) }
    #expect(shown == [true, true])
  }

  @Test("I14.7 the packets of one device, and those of the Attribute Protocol, are chosen")
  func choice() throws {
    let packets: [(HCIPacket, CaptureDirection)] = [
      (Self.report("Lamp", 0xC012_3456_789A), .received), (Self.report("Other", 0xC000_0000_0001), .received),
      (Self.connected, .received), (Conversation.acl([0x0A, 0x03, 0x00]), .sent),
      (Conversation.acl([0x0B, 1]), .received),
      (HCIPacket(kind: .event, octets: [0x13, 5, 1, 0x40, 0, 1, 0]), .received),
      (HCIPacket(kind: .event, octets: [0x13, 5, 1, 0x41, 0, 1, 0]), .received), (Self.disconnected, .received),
    ]
    let lamp = try #require(Self.address)
    var device = CaptureSelection(includesSetup: true, device: .peers([lamp]))
    #expect(
      dissected(packets).map { device.contains($0) } == [true, false, true, true, true, true, false, true])
    var attributes = CaptureSelection(includesSetup: true, attributeProtocolOnly: true)
    #expect(
      dissected(packets).map { attributes.contains($0) } == [false, false, false, true, true, false, false, false])
    var interface = CaptureSelection(includesSetup: true, device: .interfaces([1]))
    #expect(!dissected(packets).contains { interface.contains($0) })
  }

  @Test("I14.7 a pcapng file's interfaces have the names that it gives them, which are cut where they are long")
  func interfaceNames() throws {
    let memory = CaptureMemory()
    let writer = PcapNGWriter(memory)
    for name in ["phone", "lamp", String(repeating: "x", count: 200)] { writer.addInterface(.hci, name: name) }
    writer.write(CapturedPacket(timestamp: .virtualOrigin, interface: 1, content: .hci(Self.connected, .received)))
    writer.flush()
    let reader = PcapNGReader(CaptureOctets(memory.octets))
    #expect(reader.interfaceNames.isEmpty)
    let packet = try #require(try reader.next())
    #expect(reader.interfaceNames == [0: "phone", 1: "lamp", 2: String(repeating: "x", count: 64)])
    let line = Dissector().line(
      packet, saying: "text", interfaceName: reader.interfaceNames[1], deviceName: "a\u{1B}")
    #expect(line.hasSuffix(" lamp > [a\\u{1b}] text"), "\(line)")
  }
}
