import BLECapture
import BLECore
import BLEWire

extension Fuzzer {
  static let btsnoop = Fuzzer(name: "btsnoop") { octets in
    read { () throws(CaptureError) in try BtsnoopReader(CaptureOctets(octets)) }
  } seeds: {
    let memory = CaptureMemory()
    let writer = BtsnoopWriter(memory)
    for packet in examples { writer.write(packet) }
    return [memory.octets, Array(memory.octets.prefix(16))]
  }

  static let pcapng = Fuzzer(name: "pcapng") { octets in
    read { () throws(CaptureError) in PcapNGReader(CaptureOctets(octets)) }
  } seeds: {
    let memory = CaptureMemory()
    let writer = PcapNGWriter(memory)
    writer.addInterface(.hci, name: "host")
    for packet in examples { writer.write(packet) }
    let air = writer.addInterface(.air, name: "air")
    let packet = AirPacket(channelIndex: 38, accessAddress: 0x8E89_BED6, pdu: [0, 6, 1, 2, 3, 4, 5, 6])
    writer.write(CapturedPacket(timestamp: .virtualOrigin, interface: air, content: .air(packet)))
    return [memory.octets]
  }

  /// Whatever `CaptureFiles` takes for a capture; the seeds are pcap and PacketLogger files.
  static let captureFile = Fuzzer(name: "capture-file") { octets in
    read { () throws(CaptureError) in try CaptureFiles.reader(CaptureOctets(octets)) }
  } seeds: {
    let packets = examples.compactMap { packet -> (HCIPacket, CaptureDirection)? in
      if case .hci(let hci, let direction) = packet.content { (hci, direction) } else { nil }
    }
    // Numbers of four octets, most significant first.
    func numbers(_ values: Int...) -> [UInt8] {
      values.flatMap { value in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
    }
    func pcap(_ linkType: Int, _ front: (HCIPacket, CaptureDirection) -> [UInt8]) -> [UInt8] {
      packets.reduce(numbers(0xA1B2_C3D4, 0x0002_0004, 0, 0, 65_535, linkType)) { file, packet in
        let data = front(packet.0, packet.1) + packet.0.octets
        return file + numbers(1, 2, data.count, data.count) + data
      }
    }
    let logger = packets.reduce(numbers(9, 1, 2) + [0xFC]) { file, packet in
      let type: UInt8 = packet.0.kind == .command ? 0 : packet.0.kind == .event ? 1 : 2 + packet.1.rawValue
      return file + numbers(9 + packet.0.octets.count, 1, 2) + [type] + packet.0.octets
    }
    return [
      logger, pcap(187) { hci, _ in [hci.kind.rawValue] },
      pcap(201) { hci, direction in [0, 0, 0, direction.rawValue, hci.kind.rawValue] },
      pcap(254) { hci, direction in
        [0, 1, 0, hci.kind == .command ? 2 : hci.kind == .event ? 3 : 4 + direction.rawValue]
      },
    ]
  }

  /// Packets in a row through one dissector: flags choose the kind and the direction.
  static let dissector = Fuzzer(name: "dissector") { octets in
    let dissector = Dissector()
    for (flag, piece) in Pieces(octets) {
      let kind = HCIPacketKind(rawValue: flag & 0x07) ?? .aclData
      let packet = HCIPacket(kind: kind, octets: Array(piece))
      let line = dissector.line(
        CapturedPacket(
          timestamp: .virtualOrigin, interface: Int(flag >> 4), content: .hci(packet, flag & 8 == 0 ? .sent : .received)
        ))
      require(!line.unicodeScalars.contains { $0.value < 0x20 }, "a line that steers a terminal")
    }
  } seeds: {
    [
      examples.flatMap { packet -> [UInt8] in
        guard case .hci(let hci, let direction) = packet.content else { return [] }
        return [hci.kind.rawValue | direction.rawValue << 3, UInt8(truncatingIfNeeded: hci.octets.count)] + hci.octets
      }
    ]
  }

  private static func read(_ open: () throws(CaptureError) -> any CaptureReader) {
    let dissector = Dissector()
    do {
      let reader = try open()
      while let packet = try reader.next() { _ = dissector.line(packet) }
    } catch {
      require(!error.description.isEmpty, "an error that says nothing")
    }
  }

  /// A reset, its answer, and a short conversation of ATT.
  private static var examples: [CapturedPacket] {
    let handle = ConnectionHandle(0x0040)
    let conversation = ATTRegistry.all.flatMap { packet in
      packet.examples().prefix(1).map { [UInt8(packet.code ?? 0)] + $0 }
    }
    let packets: [(HCIPacket, CaptureDirection)] =
      [(HCIPacket(HCIReset()), .sent), (.commandComplete(HCIReset.self, HCIStatusReturn()), .received)]
      + conversation.map { pdu in
        let frame = L2CAPFrame(channel: .attributeProtocol, informationPayload: pdu[...]).octets
        let data = HCIACLPacket(connectionHandle: handle, boundary: .firstFlushable, payload: frame[...])
        return (HCIPacket(data), .received)
      }
    return packets.enumerated().map { index, packet in
      CapturedPacket(
        timestamp: CaptureTimestamp(nanoseconds: Int64(index) * 1_000_000), content: .hci(packet.0, packet.1))
    }
  }
}
