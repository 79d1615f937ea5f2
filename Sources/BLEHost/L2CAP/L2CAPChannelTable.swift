import BLECore
import BLEWire

/// The channels of one link, by their channel identifier on this side.
struct L2CAPChannelTable {
  private static let range = L2CAPLimits.dynamicChannels
  private var slots: [L2CAPChannel?] = []
  /// Where the search for a free identifier begins: packets in flight may still name one that was used recently.
  private var next = 0
  private(set) var count = 0

  subscript(_ identifier: ChannelIdentifier) -> L2CAPChannel? {
    let index = Int(identifier.rawValue) - Int(Self.range.lowerBound)
    return slots.indices.contains(index) ? slots[index] : nil
  }

  /// Whether a channel already has this identifier on the peer's side.
  func contains(peerIdentifier: ChannelIdentifier) -> Bool { channel(peerIdentifier: peerIdentifier) != nil }

  func channel(peerIdentifier: ChannelIdentifier) -> L2CAPChannel? {
    if count == 0 { return nil }
    return slots.first { $0?.peerIdentifier == peerIdentifier && $0 != nil } ?? nil
  }

  /// Returns the channel made for a free identifier; `nil` if all identifiers are in use.
  mutating func insert(_ make: (ChannelIdentifier) -> L2CAPChannel) -> L2CAPChannel? {
    if slots.isEmpty { slots = [L2CAPChannel?](repeating: nil, count: Self.range.count) }
    for offset in slots.indices {
      let index = (next + offset) % slots.count
      if slots[index] != nil { continue }
      let channel = make(ChannelIdentifier(Self.range.lowerBound + UInt16(index)))
      slots[index] = channel
      next = index + 1
      count += 1
      return channel
    }
    return nil
  }

  mutating func remove(_ channel: L2CAPChannel) {
    let index = Int(channel.identifier.rawValue) - Int(Self.range.lowerBound)
    guard slots.indices.contains(index), slots[index] === channel else { return }
    slots[index] = nil
    count -= 1
  }

  var all: [L2CAPChannel] { slots.compactMap { $0 } }
}
