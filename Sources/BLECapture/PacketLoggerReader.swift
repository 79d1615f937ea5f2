import BLECore
import BLEWire

/// The layout of the files of Apple's PacketLogger (`.pklg`), as Wireshark describes it (wiretap, packetlogger): records without a
/// file's header. A record is its length without these four octets, seconds since 1970, microseconds, a type, and its data;
/// the numbers are in the byte order of the machine that wrote it.
enum PacketLoggerFormat {
  static let recordHeaderLength = 12
  /// The octets of a record that are not data: the times and the type.
  static let timeLength = 8
  /// What is read to recognise a file: the first record's header and its type.
  static let headLength = recordHeaderLength + 1
  /// There is no magic number: the first record's length is less than this in one of the byte orders only.
  static let firstRecordLimit: UInt32 = 1 << 16

  static let packets: [UInt8: (kind: HCIPacketKind, direction: CaptureDirection)] = [
    0x00: (.command, .sent), 0x01: (.event, .received), 0x02: (.aclData, .sent), 0x03: (.aclData, .received),
    0x08: (.synchronousData, .sent), 0x09: (.synchronousData, .received),
  ]

  /// Types of records that are not HCI packets: link manager PDUs, and texts of the system, from its log to a new controller.
  private static func isKnownOther(_ type: UInt8) -> Bool {
    type == 0x0A || type == 0x0B || (0xF7...0xFE).contains(type)
  }

  /// The byte order of a file that begins with these octets; `nil` if it is no file of PacketLogger.
  static func order(of head: [UInt8]) -> CaptureByteOrder? {
    guard head.count >= headLength else { return nil }
    let type = head[recordHeaderLength]
    guard packets[type] != nil || isKnownOther(type) else { return nil }
    return [CaptureByteOrder.big, .little].first { order in
      let length = order.uint32(head[...], at: 0)
      return length > UInt32(timeLength) && length < firstRecordLimit && order.uint32(head[...], at: 8) < 1_000_000
    }
  }
}

/// Reads the files of Apple's PacketLogger, of either byte order. Records that are not HCI packets are skipped: texts of the system,
/// and what the controller's link manager says.
public final class PacketLoggerReader: CaptureReader {
  private var source: CaptureSource
  private let order: CaptureByteOrder

  public convenience init(_ input: any CaptureInput) throws(CaptureError) {
    let head = try input.read(PacketLoggerFormat.headLength)
    guard let order = PacketLoggerFormat.order(of: head) else {
      throw CaptureError(.unknownFormat, "not a PacketLogger file: it does not begin with one of its records")
    }
    self.init(CaptureSource(input, held: head), order)
  }

  init(_ source: CaptureSource, _ order: CaptureByteOrder) {
    self.source = source
    self.order = order
  }

  public func next() throws(CaptureError) -> CapturedPacket? {
    while let header = try source.next(PacketLoggerFormat.recordHeaderLength, "a record's header") {
      let length = Int(order.uint32(header[...], at: 0))
      let seconds = order.uint32(header[...], at: 4)
      let microseconds = order.uint32(header[...], at: 8)
      guard length >= PacketLoggerFormat.timeLength, length <= CaptureSource.recordLimit else {
        throw source.malformed("a record claims \(length) octets")
      }
      guard microseconds < 1_000_000 else {
        throw source.malformed("a record's time has \(microseconds) microseconds")
      }
      let data = try source.need(length - PacketLoggerFormat.timeLength, "a record's data")
      guard let packet = data.first.flatMap({ PacketLoggerFormat.packets[$0] }) else { continue }
      return CapturedPacket(
        timestamp: CaptureTimestamp(nanoseconds: Int64(seconds) * 1_000_000_000 + Int64(microseconds) * 1_000),
        content: .hci(HCIPacket(kind: packet.kind, octets: Array(data.dropFirst())), packet.direction))
    }
    return nil
  }
}
