import BLECapture
import BLECore
import BLEWire

/// A short conversation of a host with its controller, with packets of each layer.
enum Conversation {
  static let handle = ConnectionHandle(0x0040)

  static let packets: [(HCIPacket, CaptureDirection)] = [
    (HCIPacket(HCIReset()), .sent),
    (.commandComplete(HCIReset.self, HCIStatusReturn()), .received),
    (acl([0x02, 0x05, 0x02]), .sent),
    (acl([0x03, 0x05, 0x02]), .received),
    (acl([0x10, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28]), .sent),
    (acl([0x11, 0x06, 0x01, 0x00, 0x07, 0x00, 0x00, 0x18, 0x08, 0x00, 0x0B, 0x00, 0x0F, 0x18]), .received),
    (acl([0x08, 0x08, 0x00, 0x0B, 0x00, 0x03, 0x28]), .sent),
    (acl([0x09, 0x07, 0x09, 0x00, 0x12, 0x0A, 0x00, 0x19, 0x2A]), .received),
    (acl([0x1B, 0x0A, 0x00, 0x64]), .received),
    (acl([0x01, 0x0A, 0x0A, 0x00, 0x02]), .received),
    (acl([0x12, 0x01, 0x08, 0x00, 0x18, 0x00, 0x28, 0x00, 0x00, 0x00, 0x2A, 0x00], channel: 5), .received),
    (acl([0x06] + Array(repeating: 0xA5, count: 16), channel: 6), .sent),
  ]

  static func acl(_ payload: [UInt8], channel: UInt16 = 4) -> HCIPacket {
    var frame = ByteWriter()
    L2CAPHeader(length: UInt16(payload.count), channel: ChannelIdentifier(channel)).encode(into: &frame)
    frame.append(contentsOf: payload)
    return HCIPacket(
      HCIACLPacket(connectionHandle: handle, boundary: .firstNonFlushable, payload: frame.octets[...]))
  }

  /// One packet each millisecond from the start of simulated time.
  static var captured: [CapturedPacket] {
    packets.enumerated().map { index, packet in
      CapturedPacket(
        timestamp: CaptureTimestamp(
          StackInstant(nanoseconds: Int64(index) * 1_000_000), origin: .virtualOrigin),
        content: .hci(packet.0, packet.1))
    }
  }

  static let air = AirPacket(
    channelIndex: 38, signalPower: -47, accessAddress: AdvertisingChannelPDU.accessAddress,
    pdu: [0x40, 0x0C, 0x9A, 0x78, 0x56, 0x34, 0x12, 0xC0, 0x02, 0x01, 0x06, 0x02, 0x0A, 0x04])

  static func all(_ reader: any CaptureReader) throws -> [CapturedPacket] {
    var packets: [CapturedPacket] = []
    while let packet = try reader.next() { packets.append(packet) }
    return packets
  }

  static func btsnoop() -> [UInt8] {
    let memory = CaptureMemory()
    let writer = BtsnoopWriter(memory)
    for packet in captured { writer.write(packet) }
    writer.flush()
    return memory.octets
  }

  static func pcapng() -> [UInt8] {
    let memory = CaptureMemory()
    let writer = PcapNGWriter(memory)
    writer.addInterface(.hci, name: "first")
    for packet in captured { writer.write(packet) }
    let air = writer.addInterface(.air, name: "air")
    writer.write(CapturedPacket(timestamp: .virtualOrigin, interface: air, content: .air(self.air)))
    writer.flush()
    return memory.octets
  }
}
