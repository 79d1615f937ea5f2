import BLECore
import BLEWire

extension Dissector {
  func describe(_ air: AirPacket) -> String {
    let power = air.signalPower.map { " \($0) dBm" } ?? ""
    let octets = air.pdu[...]
    let text = understood("LL", octets) {
      var reader = ByteReader(octets, layer: "link layer")
      if air.accessAddress == AdvertisingChannelPDU.accessAddress {
        let pdu = try AdvertisingChannelPDU(from: &reader)
        try reader.finish()
        if case .connectIndication(let indication) = pdu { forget(indication.accessAddress) }
        return PacketText.of(pdu)
      }
      let pdu = try DataChannelPDU(from: &reader)
      try reader.finish()
      return "\(numberText(air.accessAddress, digits: 8)) \(pdu.kind) \(describe(pdu, on: air.accessAddress))"
    }
    return "channel \(air.channelIndex)\(power) \(text)"
  }

  /// Each access address is one link: no interface of a capture has such a large number.
  private func key(_ accessAddress: UInt32) -> DissectorLinks.Key {
    DissectorLinks.Key(interface: Int(accessAddress), handle: ConnectionHandle(0))
  }

  private func forget(_ accessAddress: UInt32) {
    decryption.forget(accessAddress)
    links.forget(key(accessAddress))
  }

  /// Opcode and parameters.
  private func describe(control payload: ArraySlice<UInt8>) -> String {
    guard let opcode = payload.first, let packet = Self.controls[UInt32(opcode)] else {
      return "LL control \(PacketText.of(octets: payload))"
    }
    return parameters(payload.dropFirst(), of: packet, packet.name)
  }

  private static let controls = byCode(LinkLayerRegistry.all.filter { $0.layer == .linkLayerControl })

  private func describe(_ pdu: DataChannelPDU, on accessAddress: UInt32) -> String {
    guard !pdu.payload.isEmpty else { return PacketText.of(octets: pdu.payload) }
    switch decryption.follow(pdu, on: accessAddress) {
    case .plain:
      return pdu.kind == .control ? describe(control: pdu.payload) : PacketText.of(octets: pdu.payload)
    case .opened(let payload, let isFromCentral):
      openedCount += 1
      let sender = isFromCentral ? "central" : "peripheral"
      if pdu.kind == .control { return "(decrypted, \(sender)) \(describe(control: payload))" }
      let data = HCIACLPacket(
        connectionHandle: ConnectionHandle(0), boundary: pdu.kind == .start ? .firstNonFlushable : .continuing,
        payload: payload)
      // Most clients are centrals: their requests give the names of attributes.
      let text = describe(data, isFromCentral ? .sent : .received, on: key(accessAddress))
      return "(decrypted, \(sender)) \(text)"
    case .sealed:
      sealedCount += 1
      let reason = decryption.keys.longTermKeys.isEmpty ? "encrypted" : "encrypted, and no key fits"
      return "(\(reason)) \(PacketText.of(octets: pdu.payload))"
    }
  }
}
