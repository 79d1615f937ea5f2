import BLECore

// What a fault makes of the octets and the time of a packet.

extension FaultEngine {
  mutating func changed(
    _ packet: FaultPacket, by actions: [FaultAction], from start: Int, now: StackInstant
  ) -> [FaultOutput] {
    var packets = [packet]
    var due = now
    var isSwapped = false
    for action in actions {
      switch action {
      case .drop: packets = []
      case .delay(let time): due = due + StackDuration(time)
      case .repeated(let count):
        if let last = packets.last { packets += Array(repeating: last.copy, count: min(max(count, 0), 100)) }
      case .swapWithNext: isSwapped = true
      default: for index in packets.indices { packets[index].octets.change(action, from: start) }
      }
    }
    guard !packets.isEmpty else { return [.drop(number: packet.number)] }
    // A device whose queue is full keeps the order of what it sends.
    if packet.sender == .device, let full = links[packet.link]?.fullUntil, now < full { due = max(due, full) }
    let released = takeSwapped(with: packet)
    if due > now || isSwapped, waiting.count < Self.mostWaiting {
      for packet in packets + released {
        waiting.append(
          Waiting(due: due > now ? due : now + Self.swapLimit, packet: packet, isSwapped: isSwapped && due <= now))
      }
      return []
    }
    return (packets + released).map { .pass($0) }
  }

  /// The packets that change places with this one.
  private mutating func takeSwapped(with packet: FaultPacket) -> [FaultPacket] {
    func belongs(_ other: Waiting) -> Bool {
      other.isSwapped && other.packet.link == packet.link && other.packet.sender == packet.sender
        && other.packet.channel == packet.channel
    }
    let found = waiting.filter(belongs).map(\.packet)
    if !found.isEmpty { waiting.removeAll(where: belongs) }
    return found
  }
}

extension FaultPacket {
  /// The same octets, as a packet that a fault has made.
  fileprivate var copy: FaultPacket {
    var copy = self
    copy.number = 0
    return copy
  }
}

extension [UInt8] {
  /// Applies an action to the octets from `start` on.
  fileprivate mutating func change(_ action: FaultAction, from start: Int) {
    switch action {
    case .cut(let count): self = Array(prefix(start + Swift.max(0, count)))
    case .lengthen(let count): self += Array(repeating: 0, count: Swift.min(Swift.max(count, 0), 1_024))
    case .flip(let octet, let mask):
      let (index, overflow) = start.addingReportingOverflow(octet)
      if !overflow, indices.contains(index) { self[index] ^= mask }
    case .replace(let octets): self = octets
    case .declareMTU(let mtu):
      if count >= 3 { self[1...2] = [UInt8(truncatingIfNeeded: mtu), UInt8(truncatingIfNeeded: mtu >> 8)] }
    default: break
    }
  }
}
