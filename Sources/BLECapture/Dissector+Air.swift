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
        return PacketText.of(pdu)
      }
      let pdu = try DataChannelPDU(from: &reader)
      try reader.finish()
      let text =
        pdu.kind == .control
        ? PacketText.of(try LinkLayerControlPDU(payload: pdu.payload)) : PacketText.of(octets: pdu.payload)
      return "\(numberText(air.accessAddress, digits: 8)) \(pdu.kind) \(text)"
    }
    return "channel \(air.channelIndex)\(power) \(text)"
  }
}
