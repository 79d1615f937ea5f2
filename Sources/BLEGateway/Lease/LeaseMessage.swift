/// A message between the gateways of a fleet.
public enum LeaseMessage: Hashable, Sendable {
  /// Retained on the device's lease topic.
  case lease(Lease)
  /// Not retained.
  case offer(LeaseOffer)
  /// Not retained.
  case pulse(GatewayPulse)

  /// The topic that it is published to.
  public var topic: LeaseTopic {
    switch self {
    case .lease(let lease): .lease(device: lease.device)
    case .offer(let offer): .offer(device: offer.device)
    case .pulse(let pulse): .pulse(gateway: pulse.sender.gateway)
    }
  }

  /// Whether the broker keeps it for those that subscribe later.
  public var isRetained: Bool { if case .lease = self { true } else { false } }
}

/// The topics of leases, relative to the root of the gateways' topics.
public enum LeaseTopic: Hashable, Sendable {
  /// `lease/DEVICE`: who keeps it.
  case lease(device: String)
  /// `offer/DEVICE`: who would like to keep it.
  case offer(device: String)
  /// `pulse/GATEWAY`: signs of life.
  case pulse(gateway: String)

  /// Its levels behind the root.
  public var path: String {
    switch self {
    case .lease(let device): "lease/" + device
    case .offer(let device): "offer/" + device
    case .pulse(let gateway): "pulse/" + gateway
    }
  }

  /// Returns `nil` if the levels are those of no topic of leases.
  public init?(path: some StringProtocol) {
    let levels = path.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
    guard levels.count == 2 else { return nil }
    let name = String(levels[1])
    guard GatewayInstance.isName(name) else { return nil }
    switch levels[0] {
    case "lease": self = .lease(device: name)
    case "offer": self = .offer(device: name)
    case "pulse": self = .pulse(gateway: name)
    default: return nil
    }
  }
}

/// The name and number of one value of a device. No two values have the same, whichever gateways held the device: an idempotency key.
///
/// Sorted, the stamps of a device's values are in the order in which their holders followed each other, and within an epoch in the order
/// in which the values arrived.
public struct ValueStamp: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The epoch of the lease under which the value was received.
  public let epoch: Int
  /// The holder: where a split network has had two holders in one epoch, it distinguishes their values.
  public let holder: GatewayInstance
  /// Counts the values of the device in this epoch, from 1.
  public let sequence: Int

  /// A stamp.
  public init(epoch: Int, holder: GatewayInstance, sequence: Int) {
    self.epoch = epoch
    self.holder = holder
    self.sequence = sequence
  }

  public static func < (left: Self, right: Self) -> Bool {
    if left.epoch != right.epoch { return left.epoch < right.epoch }
    return left.holder == right.holder ? left.sequence < right.sequence : left.holder < right.holder
  }

  /// `7/hall/5f2c/12`.
  public var description: String { "\(epoch)/\(holder)/\(sequence)" }
}
