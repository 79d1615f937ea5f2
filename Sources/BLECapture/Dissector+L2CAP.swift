import BLECore
import BLEWire

extension Dissector {
  func describe(_ data: HCIACLPacket, _ direction: CaptureDirection, interface: Int) -> String {
    describe(data, direction, on: DissectorLinks.Key(interface: interface, handle: data.connectionHandle))
  }

  /// Describes a piece of a link's frames.
  func describe(_ data: HCIACLPacket, _ direction: CaptureDirection, on key: DissectorLinks.Key) -> String {
    switch links.frames.add(data, of: key, direction) {
    case .frame(let header, let payload): return describe(payload, on: header.channel, key, direction)
    case .incomplete(let have, let whole): return "L2CAP \(have) of \(whole) octets"
    case .stray: return "L2CAP piece without a frame: \(PacketText.of(octets: data.payload))"
    }
  }

  func describe(
    _ payload: ArraySlice<UInt8>, on channel: ChannelIdentifier, _ key: DissectorLinks.Key,
    _ direction: CaptureDirection
  ) -> String {
    frame = CapturedFrame(link: key, direction: direction, channel: channel, payload: payload)
    switch channel {
    case .attributeProtocol: return describeAttribute(payload, key, direction)
    case .lowEnergySignaling:
      return understood("L2CAP signaling", payload) {
        var reader = ByteReader(payload, layer: "L2CAP signaling")
        let pdu = try L2CAPSignalingPDU(from: &reader)
        try reader.finish()
        return "\(pdu.command.code) id \(pdu.identifier) \(Self.parameters(pdu.command))"
      }
    case .securityManager:
      return understood("SMP", payload) {
        let pdu = try SMPPDU(payload)
        return "\(pdu.code) \(Self.parameters(pdu))"
      }
    default: return "L2CAP channel \(channel): \(PacketText.of(octets: payload))"
    }
  }

  /// The fields of the packet in a case of an enumeration of PDUs.
  static func parameters(_ pdu: Any) -> String {
    guard let packet = Mirror(reflecting: pdu).children.first?.value else { return "" }
    return PacketText.of(packet)
  }
}
