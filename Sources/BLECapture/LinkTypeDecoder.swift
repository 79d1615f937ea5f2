import BLEWire

/// Decodes the packets of one interface of a pcap or pcapng file by its link type.
struct LinkTypeDecoder {
  let linkType: UInt32
  private var directions = H4Directions()

  init(_ linkType: UInt32) { self.linkType = linkType }

  /// Whether packets of this link type are decoded at all.
  var isKnown: Bool { CaptureLinkType.all.contains(linkType) }

  /// The packet, and the number of its controller, which only the Linux monitor's packets have: otherwise zero.
  mutating func decode(_ octets: ArraySlice<UInt8>) -> (content: CapturedPacket.Content, controller: Int) {
    switch linkType {
    case CaptureLinkType.hciH4WithDirection:
      if octets.count >= 5, let packet = Self.hci(octets.dropFirst(4)) {
        return (.hci(packet, octets[octets.startIndex + 3] == 0 ? .sent : .received), 0)
      }
    case CaptureLinkType.hciH4:
      if let packet = Self.hci(octets) { return (.hci(packet, directions.direction(of: packet)), 0) }
    case CaptureLinkType.hciMonitor:
      // Two numbers in front, most significant octet first in files of either byte order.
      guard octets.count >= 4 else { break }
      let controller = Int(octets.bigEndian(at: 0, width: 2))
      let opcode = UInt16(truncatingIfNeeded: octets.bigEndian(at: 2, width: 2))
      let content = LinuxMonitor.content(opcode: opcode, octets.dropFirst(4))
      return (content ?? .other(linkType: linkType, octets: Array(octets)), controller)
    case CaptureLinkType.linkLayer:
      if let air = AirPacket(linkLayer: octets) { return (.air(air), 0) }
    case CaptureLinkType.linkLayerWithHeader:
      if let air = AirPacket(withHeader: octets) { return (.air(air), 0) }
    default: break
    }
    return (.other(linkType: linkType, octets: Array(octets)), 0)
  }

  /// From H4's indicator and the packet.
  private static func hci(_ octets: ArraySlice<UInt8>) -> HCIPacket? {
    octets.first.flatMap(HCIPacketKind.init(rawValue:)).map { HCIPacket(kind: $0, octets: Array(octets.dropFirst())) }
  }
}
