import BLECapture
import BLECore
import BLETimeline
import BLEWire
import Testing

/// Pages of captures that no host would make.
@Suite struct HostileTests {
  /// A packet of a random kind, which begins as packets do, so that more than the first octet is looked at.
  private func packet(_ entropy: SeededEntropy) -> (HCIPacket, CaptureDirection) {
    let beginnings: [(HCIPacketKind, [UInt8])] = [
      (.aclData, [0x40, 0x20, 12, 0, 8, 0, 4, 0]), (.aclData, [0x40, 0x00, 12, 0, 8, 0, 6, 0]),
      (.aclData, [0x40, 0x10, 4, 0]), (.aclData, [0x40, 0x20, 12, 0, 8, 0, 5, 0]), (.event, [0x3E, 19]),
      (.event, [0x0E, 4, 1]), (.event, [0x0F, 4, 0, 1]), (.event, [0x13, 200, 255]), (.event, [0x05, 4, 0, 0x40]),
      (.command, [0x0D, 0x20]), (.command, [0x43, 0x20, 20]), (.command, [0x03, 0x0C, 0]), (.command, []),
      (.event, []), (.aclData, []), (.synchronousData, []), (.isochronousData, []),
    ]
    let (kind, start) = beginnings[Int(entropy.uniform(0..<UInt64(beginnings.count)))]
    let rest = (0..<entropy.uniform(0..<40)).map { _ in UInt8(truncatingIfNeeded: entropy.next()) }
    return (HCIPacket(kind: kind, octets: start + rest), entropy.next() & 1 == 0 ? .sent : .received)
  }

  @Test("I14.B 20,000 packets of nonsense between steps of programs are a page, whose joins lead to earlier events")
  func nonsense() throws {
    let entropy = SeededEntropy(seed: 14)
    let names = [
      "connect(_:options:)", "readValue(for:)", "peripheral(_:didUpdateValueFor:error:)", "respond(to:withResult:)",
      "peripheralManager(_:didReceiveWrite:)", "", "(", ":::", "centralManager(_:didConnect:)", "updateValue(_:for:)",
    ]
    let maker = PageMaker(devices: ["one", "two"])
    for _ in 0..<20_000 {
      let device = Int(entropy.uniform(0..<2))
      if entropy.uniform(0..<4) == 0 {
        let name = names[Int(entropy.uniform(0..<UInt64(names.count)))]
        if entropy.next() & 1 == 0 { maker.call(name, device: device) } else { maker.callback(name, device: device) }
      } else {
        let (packet, direction) = packet(entropy)
        maker.packet(packet, direction, device: device)
      }
    }
    let page = try maker.page()
    #expect(page.rows.count == 20_000)
    #expect(page.rows.enumerated().allSatisfy { number, row in row.causes.allSatisfy { 0..<number ~= $0 } })
  }
}
