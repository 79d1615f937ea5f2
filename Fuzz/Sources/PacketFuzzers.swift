import BLECore
import BLETransports
import BLEWire

extension Fuzzer {
  static let securityManager = Fuzzer(name: "smp") { octets in
    guard let pdu = try? SMPPDU(octets[...]) else { return }
    require(pdu.octets == octets, "what was understood is not what came")
    _ = PacketText.of(pdu)
  } seeds: {
    SMPRegistry.all.flatMap { packet in packet.examples().map { [UInt8(packet.code ?? 0)] + $0 } }
  }

  static let advertisingData = Fuzzer(name: "advertising-data") { octets in
    let data = AdvertisingData(octets)
    require(data.reduce(0) { $0 + $1.data.count + 2 } <= octets.count, "more structures than octets")
    for structure in data {
      let field = AdvertisingField(structure)
      require(AdvertisingField(field.structure) == field, "a field is not stable")
    }
    _ = (data.flags, data.localName?.text, data.txPowerLevel, data.serviceUUIDs, data.solicitedServiceUUIDs)
    _ = (data.serviceData, data.manufacturerData, data.overflowArea, data.appearance, data.ending)
    _ = PacketText.of(advertisingData: data)
  } seeds: {
    AdvertisingField.examples.map(\.octets) + [AdvertisingField.examples.flatMap(\.octets)]
  }

  static let linkLayer = Fuzzer(name: "link-layer") { octets in
    _ = try? LinkLayerControlPDU(payload: octets[...])
    var advertising = ByteReader(octets, layer: "fuzz")
    if let pdu = try? AdvertisingChannelPDU(from: &advertising) { _ = PacketText.of(pdu) }
    var data = ByteReader(octets, layer: "fuzz")
    if let pdu = try? DataChannelPDU(from: &data) { _ = PacketText.of(pdu) }
  } seeds: {
    PacketRegistry.packets(of: .linkLayer).flatMap { $0.examples() }
      + PacketRegistry.packets(of: .linkLayerControl).flatMap { packet in
        packet.examples().map { [UInt8(truncatingIfNeeded: packet.code ?? 0)] + $0 }
      }
  }

  static let hciEvent = Fuzzer(name: "hci-event") { octets in
    guard let packet = try? HCIEventPacket(octets), let event = try? HCIEvent(packet) else { return }
    _ = PacketText.of(event)
  } seeds: {
    HCIRegistry.events.flatMap { packet in
      packet.examples().map { example in
        let code = HCIEventCode(rawValue: UInt16(truncatingIfNeeded: packet.code ?? 0))
        let head: [UInt8] = code.subevent.map { [$0] } ?? []
        return [code.event, UInt8(truncatingIfNeeded: head.count + example.count)] + head + example
      }
    }
  }

  static let hciCommand = Fuzzer(name: "hci-command") { octets in
    guard let packet = try? HCICommandPacket(octets) else { return }
    let declared = HCIRegistry.commands.first { $0.code == UInt32(packet.opcode.rawValue) }
    guard let declared, let written = try? declared.roundTrip(Array(packet.parameters)) else { return }
    require((try? declared.roundTrip(written)) == written, "\(declared.name) is not stable")
    _ = try? declared.describe(written)
  } seeds: {
    HCIRegistry.commands.flatMap { packet in
      packet.examples().map { example in
        let opcode = packet.code ?? 0
        return [
          UInt8(truncatingIfNeeded: opcode), UInt8(truncatingIfNeeded: opcode >> 8),
          UInt8(truncatingIfNeeded: example.count),
        ] + example
      }
    }
  }

  /// A stream that is cut anywhere: the same packets come out, however it is cut.
  static let h4 = Fuzzer(name: "h4") { octets in
    var whole: [HCIPacket] = []
    var parser = H4Parser(.toHost)
    try? parser.feed(octets[...]) { whole.append($0) }
    require(parser.pendingCount <= octets.count, "more is kept than came")
    var cut: [HCIPacket] = []
    var other = H4Parser(.toHost)
    for octet in octets { try? other.feed([octet]) { cut.append($0) } }
    require(whole == cut, "packets depend on where the stream is cut")
  } seeds: {
    [HCIRegistry.data, HCIRegistry.events[0]].flatMap { packet in
      packet.examples().map { example in
        packet.code.map { [0x04, UInt8($0), UInt8(example.count)] + example } ?? ([0x02] + example)
      }
    }
  }
}
