import BLECapture
import BLECore
import BLETimeline
import BLEWire

extension Fuzzer {
  /// Packets of several controllers and steps of programs in a row, as a page: flags choose kind, direction and device.
  static let timeline = Fuzzer(name: "timeline") { octets in
    let memory = CaptureMemory()
    let dissection = CaptureDissection(takesSecretsOut: true)
    var selection = CaptureSelection(includesSetup: false)
    let writer = TimelineWriter(title: String(decoding: octets.prefix(20), as: UTF8.self), to: memory)
    for number in 0..<3 { _ = writer.addDevice("device \(number)") }
    var written = 0
    for (flag, piece) in Pieces(octets) {
      let (device, isSent) = (Int(flag >> 4) % 3, flag & 8 != 0)
      let time = CaptureTimestamp(nanoseconds: piece.prefix(7).reduce(0) { $0 << 8 | Int64($1) })
      switch flag & 0x07 {
      case 0:
        let name = String(decoding: piece, as: UTF8.self)
        writer.add(ProgramStep(isSent ? .call : .callback, name, arguments: name), device: device, at: time)
        written += 1
      case 6:
        writer.add(.fault(String(decoding: piece, as: UTF8.self)), device: isSent ? device : nil, at: time)
        written += 1
      case 7:
        let content: CapturedPacket.Content =
          AirPacket.init(fuzzed: piece).map { .air($0) } ?? .other(linkType: 7, octets: Array(piece))
        writer.add(dissection.dissect(CapturedPacket(timestamp: time, content: content)), device: device)
        written += 1
      case let kind:
        let hci = HCIPacket(kind: HCIPacketKind(rawValue: kind) ?? .aclData, octets: Array(piece))
        let dissected = dissection.dissect(
          CapturedPacket(timestamp: time, interface: device, content: .hci(hci, isSent ? .sent : .received)))
        if selection.contains(dissected) {
          writer.add(dissected, device: device)
          written += 1
        }
      }
    }
    writer.finish()
    require(writer.failure == nil && writer.eventCount == written, "events that are not in the page")
    // Nothing in the data may open or close an element: only the page's own '<' are there.
    let page = memory.octets
    let elements = Self.count("<script".utf8, in: page)
    let parts = 2 * (written / 1_024 + 1)
    require(elements == parts + 2 && Self.count("</script".utf8, in: page) == elements, "a page with other scripts")
    require(page.count < 200_000 + 64 * octets.count + 600 * written, "a page that is too long for what is in it")
  } seeds: {
    func piece(_ flag: UInt8, _ octets: [UInt8]) -> [UInt8] {
      [flag, UInt8(truncatingIfNeeded: octets.count)] + octets
    }
    let link: [UInt8] = [0x3E, 19, 1, 0, 0x40, 0, 0, 1, 1, 2, 3, 4, 5, 0xC0, 24, 0, 0, 0, 72, 0, 0]
    let request: [UInt8] = [0x40, 0, 7, 0, 3, 0, 4, 0, 0x0A, 3, 0]
    let response: [UInt8] = [0x40, 0x20, 6, 0, 2, 0, 4, 0, 0x0B, 1]
    return [
      piece(8, Array("readValue(for:)".utf8)) + piece(4, link) + piece(10, request) + piece(18, request)
        + piece(0, Array("peripheralManager(_:didReceiveRead:)".utf8)) + piece(2, response)
        + piece(0, Array("peripheral(_:didUpdateValueFor:error:)".utf8)) + piece(6, Array("</script><!--".utf8))
        + piece(7, [1, 2, 3, 4, 5, 6, 7, 8, 9])
    ]
  }

  private static func count(_ pattern: String.UTF8View, in octets: [UInt8]) -> Int {
    octets.split(separator: UInt8(ascii: "<"), omittingEmptySubsequences: false).dropFirst()
      .count { $0.starts(with: pattern.dropFirst()) }
  }
}

extension AirPacket {
  /// An access address, then a PDU; `nil` for fewer than six octets.
  fileprivate init?(fuzzed octets: ArraySlice<UInt8>) {
    guard octets.count >= 6, let first = octets.first else { return nil }
    let address = first & 1 == 0 ? 0x8E89_BED6 : octets.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    self.init(channelIndex: first % 40, accessAddress: address, pdu: Array(octets.dropFirst(4)))
  }
}
