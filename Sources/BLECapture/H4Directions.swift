import BLEWire

/// The directions of HCI packets in a capture that does not record any (LINKTYPE_BLUETOOTH_HCI_H4).
///
/// Commands are the host's and events the controller's. The beginning of a frame of an LE link has one boundary flag for each
/// direction (Core, Vol 4 Part E 5.4.2: 00 to the controller, 10 from it); its other pieces go the way of the last beginning on
/// their link.
struct H4Directions {
  /// By connection handle: twelve bits, so this cannot grow without limit.
  private var begun: [UInt16: CaptureDirection] = [:]

  mutating func direction(of packet: HCIPacket) -> CaptureDirection {
    switch packet.kind {
    case .event: return .received
    case .aclData:
      guard packet.octets.count >= 2 else { return .sent }
      let handle = UInt16(packet.octets[0]) | UInt16(packet.octets[1] & 0x0F) << 8
      switch packet.octets[1] >> 4 & 0x03 {
      case 0: begun[handle] = .sent
      case 2: begun[handle] = .received
      default: break
      }
      return begun[handle] ?? .sent
    default: return .sent
    }
  }
}
