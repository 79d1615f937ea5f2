import BLECapture
import BLEDefaultStack
import BLEWeb
import BLEWire

/// The last packets of an adapter, for the explorer. The adapter may be made later than this.
struct AdapterPackets: PacketLog {
  let recent: @Sendable () -> RecentPackets?

  var count: UInt64 { recent()?.count ?? 0 }

  func packets(after first: UInt64, through last: UInt64, limit: Int) -> [LoggedPacket] {
    // All from the beginning: what an attribute is, and where a frame began, earlier packets have said.
    let dissector = Dissector()
    var found: [LoggedPacket] = []
    for (number, packet) in recent()?.packets(reports: false) ?? [] {
      guard number <= last, found.count < limit else { break }
      let text = dissector.text(packet)
      guard number > first, case .hci(let hci, let direction) = packet.content else { continue }
      found.append(
        LoggedPacket(number: number, text: "\(direction == .sent ? "<" : ">") \(text)", octets: hci.octets))
    }
    return found
  }

  func btsnoop() -> [UInt8] {
    let memory = CaptureMemory()
    let writer = BtsnoopWriter(memory)
    for (_, packet) in recent()?.packets() ?? [] { writer.write(packet) }
    return memory.octets
  }
}
