/// Who keeps a device: the retained message of a device's lease topic.
///
/// Leases of one device are ordered by `rank`. All gateways take the greatest that was received, in whatever order they arrive, so that all
/// who have received the same leases agree.
public struct Lease: Hashable, Sendable {
  /// The steps of a lease. A lease that is not released keeps others from claiming the device for as long as its holder is heard of.
  public enum Phase: String, Sendable, Hashable, CaseIterable {
    /// Claimed; the holder connects and subscribes.
    case opening
    /// The holder is connected and subscribed.
    case held
    /// The holder has accepted an offer: it ends the link, and sends the values that it has.
    case draining
    /// No gateway holds the device. The epoch is over; `last` is the number of its last value.
    case released
  }

  /// The position of a lease among all of its device: by epoch, then by holder, then by revision.
  public struct Rank: Hashable, Comparable, Sendable {
    /// The epoch.
    public let epoch: Int
    /// The holder, which decides between two claims of one epoch.
    public let holder: GatewayInstance
    /// The revision.
    public let revision: Int

    public static func < (left: Self, right: Self) -> Bool {
      if left.epoch != right.epoch { return left.epoch < right.epoch }
      return left.holder == right.holder ? left.revision < right.revision : left.holder < right.holder
    }
  }

  /// The device's name on the broker: 1 to 64 characters as of `GatewayInstance.isName(_:)`.
  public var device: String
  /// The holder; in phase `released` the one that held it.
  public var holder: GatewayInstance
  /// Counts the holders of a device, 1 to `greatestEpoch`.
  public var epoch: Int
  /// Counts the messages of a holder in its epoch, from 1.
  public var revision: Int
  /// The step.
  public var phase: Phase
  /// How long the lease is valid after it, or a pulse of its holder, was received, by the receiver's own clock: 0.1 s to an hour.
  public var expires: Duration
  /// The smoothed strength at the holder in dBm, -127 to 20; `nil` if the holder does not hear the device.
  public var strength: Double?
  /// In the phases `draining` and `released`: who has offered to take the device over.
  public var successor: GatewayInstance?
  /// What is subscribed to, as `180F/2A19`; the next holder subscribes to the same. At most 64.
  public var subscriptions: [String]
  /// In phase `released`: how many values have been numbered in this epoch.
  public var last: Int?

  /// A claim.
  public init(
    device: String, holder: GatewayInstance, epoch: Int, revision: Int = 1, phase: Phase = .opening,
    expires: Duration, strength: Double? = nil, successor: GatewayInstance? = nil, subscriptions: [String] = [],
    last: Int? = nil
  ) {
    self.device = device
    self.holder = holder
    self.epoch = epoch
    self.revision = revision
    self.phase = phase
    self.expires = expires
    self.strength = strength
    self.successor = successor
    self.subscriptions = subscriptions
    self.last = last
  }

  /// The position among the leases of the device.
  public var rank: Rank { Rank(epoch: epoch, holder: holder, revision: revision) }

  /// Numbers up to here are exact in all JSON.
  public static let greatestEpoch = 1 << 53 - 1
  /// Subscriptions of a device, and octets of each.
  static let mostSubscriptions = 64, longestSubscription = 80
}

/// A gateway that hears a device much better than its holder asks for it.
public struct LeaseOffer: Hashable, Sendable {
  /// The device.
  public var device: String
  /// Who offers to take it over.
  public var candidate: GatewayInstance
  /// The epoch that would begin: that of the present lease and one. The holder ignores others.
  public var epoch: Int
  /// The smoothed strength at the candidate in dBm.
  public var strength: Double

  /// An offer.
  public init(device: String, candidate: GatewayInstance, epoch: Int, strength: Double) {
    self.device = device
    self.candidate = candidate
    self.epoch = epoch
    self.strength = strength
  }
}

/// A sign of life of a gateway. It renews all leases that its instance holds.
public struct GatewayPulse: Hashable, Sendable {
  /// Who lives.
  public var sender: GatewayInstance
  /// Counts the pulses of an instance, from 1: one that is late or repeated renews nothing. In the last will, which is written before any
  /// pulse is sent, it is 0.
  public var number: Int
  /// The instance has ended, or has lost its connection to the broker: its leases end after a short time, unless another pulse arrives.
  public var isEnd: Bool

  /// A pulse.
  public init(sender: GatewayInstance, number: Int, isEnd: Bool = false) {
    self.sender = sender
    self.number = number
    self.isEnd = isEnd
  }
}
