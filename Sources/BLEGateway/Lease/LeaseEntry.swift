import BLESession

/// What a keeper knows of one device.
final class LeaseEntry {
  /// The part of the gateway in the device's lease. Docs/gateway-leases.md has the table of what leads from one to another.
  enum Role: Hashable {
    /// Another gateway holds it, or none.
    case watching
    /// The claim is published and has not come back.
    case claiming
    /// The claim has come back and is the greatest; it stands since then.
    case settling
    /// The device is being opened.
    case opening
    /// The device is open.
    case held
    /// The values that are left are being sent to the broker.
    case draining
  }

  let device: String
  /// Set by `enter`.
  private(set) var role = Role.watching
  /// Since when the role is this one.
  private(set) var since: Duration
  /// The greatest lease that was received or, as its holder, published.
  var known: Lease?
  /// When the holder of `known` has last been heard of by that lease.
  var renewed: Duration
  /// When the first lease of the epoch of `known` was received.
  var epochSince: Duration
  /// The claim that has not come back.
  var claim: Lease?
  /// Whether `known` was received in this connection to the broker.
  var isConfirmed = false
  /// Whether `known`, where this gateway has published it, has come back from the broker.
  var isReturned = false
  /// The gateway does not want the device any more. The entry stays until the broker has nothing that says otherwise.
  var isGivenUp = false
  /// Before this nothing is claimed: what is retained may not have arrived.
  var lookUntil: Duration
  var filter: SignalFilter
  var heardAt: Duration?
  var strongerSince: Duration?
  var claimAt: Duration?
  var retryAt = Duration.zero
  var failures = 0
  var offerAt = Duration.zero
  var offers = 0
  var publishedAt = Duration.zero
  var repairedAt: Duration?
  /// When the greatest lease is published again, since something else may stand on its topic.
  var repairAt: Duration?
  /// Whom it was taken from without a release.
  var takenFrom: GatewayInstance?
  var subscriptions: [String] = []
  var sequence = 0
  /// When the entry has to be looked at again.
  var due = Duration.zero
  /// The time under which it stands in the keeper's queue.
  var queuedAt: Duration?

  init(device: String, at now: Duration, rules: LeaseRules) {
    self.device = device
    since = now
    renewed = now
    epochSince = now
    lookUntil = now + rules.look
    filter = SignalFilter(weight: rules.smoothing)
  }

  func enter(_ role: Role, at now: Duration) {
    self.role = role
    since = now
    claimAt = nil
    strongerSince = nil
    if role == .watching { claim = nil }
  }

  /// Whether the gateway has the device open, or is about to.
  var isActive: Bool {
    switch role {
    case .opening, .held, .draining: true
    case .watching, .claiming, .settling: false
    }
  }

  /// The smoothed strength in dBm; `nil` if the device was not heard of late.
  func strength(at now: Duration, _ rules: LeaseRules) -> Double? {
    guard let heardAt, now - heardAt <= rules.audible else { return nil }
    return filter.smoothed
  }
}
