import BLEAdapter
import BLECore
import BLEWire

/// The L2CAP channels published by the peripherals of the process.
struct PublishedChannels {
  /// A class, because Swift 6.3 miscompiles an optional structure with a weak reference when it is `nil`.
  private final class Entry {
    weak let role: HostPeripheral?
    let demand: SecurityDemand

    init(role: HostPeripheral, demand: SecurityDemand) {
      self.role = role
      self.demand = demand
    }
  }

  /// The dynamic range of SPSM values (Core, Vol 3 Part A 4.22).
  private static let range: ClosedRange<UInt16> = 0x0080...0x00FF
  private var entries: [UInt16: Entry] = [:]
  /// The next value to try. A value is reused as late as possible, because peers may remember it.
  private var next = range.lowerBound

  /// Returns a new SPSM; `nil` if all values are in use.
  mutating func publish(for role: HostPeripheral, demand: SecurityDemand) -> ProtocolServiceMultiplexer? {
    for _ in Self.range {
      let number = next
      next = number == Self.range.upperBound ? Self.range.lowerBound : number + 1
      if entries[number] == nil {
        entries[number] = Entry(role: role, demand: demand)
        return ProtocolServiceMultiplexer(number)
      }
    }
    return nil
  }

  /// Returns false if `role` has not published it.
  mutating func unpublish(_ multiplexer: ProtocolServiceMultiplexer, of role: HostPeripheral) -> Bool {
    guard let entry = entries[multiplexer.rawValue], entry.role === role else { return false }
    entries[multiplexer.rawValue] = nil
    return true
  }

  mutating func unpublishAll(of role: HostPeripheral) {
    entries = entries.filter { $0.value.role !== role && $0.value.role != nil }
  }

  /// Whether one of them requires encryption.
  var hasProtection: Bool { entries.values.contains { $0.role != nil && $0.demand != .none } }

  /// Returns the role that has published `multiplexer`, and the security that it demands.
  func publisher(of multiplexer: ProtocolServiceMultiplexer) -> (role: HostPeripheral, demand: SecurityDemand)? {
    guard let entry = entries[multiplexer.rawValue], let role = entry.role else { return nil }
    return (role, entry.demand)
  }
}

extension HostConnection {
  func link(_ link: L2CAPLink, refusalOf multiplexer: ProtocolServiceMultiplexer) -> L2CAPConnectionResult? {
    guard phase != .closing, let publisher = stack.publishedChannels.publisher(of: multiplexer) else {
      return .spsmNotSupported
    }
    return AccessRequirement(demand: publisher.demand).channelRefusal(of: serverLink?.security ?? .open)
  }

  func link(_ link: L2CAPLink, didOpen channel: L2CAPChannel) {
    guard let central = serverLink?.remoteCentral else { return }
    stack.publishedChannels.publisher(of: channel.multiplexer)?.role.channelOpened(channel, by: central)
  }
}
