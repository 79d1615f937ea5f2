import BLECapture
import BLECore
import BLEWire

/// Captures in the formats of others, made octet by octet from the formats' descriptions.
enum ForeignFiles {
  /// Four octets, most significant first, or the other way round.
  static func number(_ value: UInt32, isBigEndian: Bool) -> [UInt8] {
    let octets = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
    return isBigEndian ? octets : octets.reversed()
  }

  /// A record of PacketLogger: length, seconds, microseconds, type, data.
  static func packetLoggerRecord(
    _ type: UInt8, _ data: [UInt8], seconds: UInt32 = 946_684_800, microseconds: UInt32 = 0, isBigEndian: Bool = true
  ) -> [UInt8] {
    number(UInt32(data.count) + 9, isBigEndian: isBigEndian) + number(seconds, isBigEndian: isBigEndian)
      + number(microseconds, isBigEndian: isBigEndian) + [type] + data
  }

  /// The conversation as PacketLogger writes it, with a note in front.
  static func packetLogger(isBigEndian: Bool = true) -> [UInt8] {
    var octets = packetLoggerRecord(0xFC, Array("iPhone\0".utf8), isBigEndian: isBigEndian)
    for (index, (packet, direction)) in Conversation.packets.enumerated() {
      let type: UInt8 =
        switch (packet.kind, direction) {
        case (.command, _): 0
        case (.event, _): 1
        case (_, .sent): 2
        case (_, .received): 3
        }
      octets += packetLoggerRecord(
        type, packet.octets, microseconds: UInt32(index) * 1_000, isBigEndian: isBigEndian)
    }
    return octets
  }

  static func pcapHeader(linkType: UInt32, isBigEndian: Bool = true, isNanoseconds: Bool = false) -> [UInt8] {
    func number(_ value: UInt32) -> [UInt8] { Self.number(value, isBigEndian: isBigEndian) }
    return number(isNanoseconds ? 0xA1B2_3C4D : 0xA1B2_C3D4) + (isBigEndian ? [0, 2, 0, 4] : [2, 0, 4, 0])
      + number(0) + number(0) + number(65_535) + number(linkType)
  }

  static func pcapRecord(
    _ data: [UInt8], seconds: UInt32 = 946_684_800, fraction: UInt32 = 0, isBigEndian: Bool = true
  ) -> [UInt8] {
    func number(_ value: UInt32) -> [UInt8] { Self.number(value, isBigEndian: isBigEndian) }
    let length = number(UInt32(data.count))
    return number(seconds) + number(fraction) + length + length + data
  }

  /// The conversation as a pcap file.
  static func pcap(linkType: UInt32, isBigEndian: Bool = true, isNanoseconds: Bool = false) -> [UInt8] {
    var octets = pcapHeader(linkType: linkType, isBigEndian: isBigEndian, isNanoseconds: isNanoseconds)
    for (index, (packet, direction)) in Conversation.packets.enumerated() {
      octets += pcapRecord(
        front(linkType, packet, direction) + packet.octets,
        fraction: UInt32(index) * (isNanoseconds ? 1_000_000 : 1_000),
        isBigEndian: isBigEndian)
    }
    return octets
  }

  /// What stands in front of the HCI packet.
  private static func front(_ linkType: UInt32, _ packet: HCIPacket, _ direction: CaptureDirection) -> [UInt8] {
    switch linkType {
    case 187: [packet.kind.rawValue]
    case 201: [0, 0, 0, direction.rawValue, packet.kind.rawValue]
    default:
      switch (packet.kind, direction) {
      case (.command, _): [0, 0, 0, 2]
      case (.event, _): [0, 0, 0, 3]
      case (_, .sent): [0, 0, 0, 4]
      case (_, .received): [0, 0, 0, 5]
      }
    }
  }

  static func reader(_ octets: [UInt8]) throws -> any CaptureReader { try CaptureFiles.reader(CaptureOctets(octets)) }

  /// One file of each kind, for tests about damage.
  static let all = [
    packetLogger(), packetLogger(isBigEndian: false), pcap(linkType: 201),
    pcap(linkType: 254, isBigEndian: false, isNanoseconds: true),
  ]
}
