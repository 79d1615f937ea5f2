import CoreBluetooth

/// How hard a session tries to have its device.
public struct ReconnectPolicy: Sendable, Hashable {
  /// The pauses between attempts.
  public struct BackOff: Sendable, Hashable {
    /// The pause after the first failure.
    public var first: Duration
    /// Each pause is this much longer than the one before.
    public var factor: Double
    /// No pause is longer.
    public var longest: Duration
    /// The part of a pause that is left to chance, 0 to 1, so that many devices do not come back in step.
    public var jitter: Double

    /// Pauses from half a second up to ten.
    public init(
      first: Duration = .milliseconds(500), factor: Double = 2, longest: Duration = .seconds(10), jitter: Double = 0.2
    ) {
      self.first = first
      self.factor = factor
      self.longest = longest
      self.jitter = jitter
    }

    /// The pause before an attempt. `chance` is from 0 up to 1; a pause is made shorter by it, never longer.
    public func pause(afterFailures failures: Int, chance: Double) -> Duration {
      let grown = first.seconds * pow(max(1, factor), Double(max(0, min(failures, 64) - 1)))
      let cut = 1 - min(max(jitter, 0), 1) * min(max(chance, 0), 1)
      return .milliseconds(Int64(min(grown, longest.seconds) * cut * 1_000))
    }
  }

  /// How the device is looked for.
  public enum Approach: Sendable, Hashable {
    /// Connecting where the device is known, scanning where it is not.
    case direct
    /// The same; and if it has not come by then, scanning besides: it may have another identifier now.
    case directThenScan(after: Duration)
    /// Always scanning first.
    case scan
  }

  /// Whether a lost connection is won back.
  public var isAutomatic: Bool
  /// The time for all attempts together, from the loss or from the user's wish.
  public var budget: Duration
  /// `nil`: as many as the budget allows.
  public var maximumAttempts: Int?
  /// The pauses between attempts.
  public var backOff: BackOff
  /// How the device is looked for.
  public var approach: Approach

  /// A minute, for as many attempts as go into it.
  public init(
    isAutomatic: Bool = true, budget: Duration = .seconds(60), maximumAttempts: Int? = nil,
    backOff: BackOff = BackOff(), approach: Approach = .directThenScan(after: .seconds(10))
  ) {
    self.isAutomatic = isAutomatic
    self.budget = budget
    self.maximumAttempts = maximumAttempts
    self.backOff = backOff
    self.approach = approach
  }

  /// The user reconnects.
  public static let manual = ReconnectPolicy(isAutomatic: false)
}

/// What a session needs to know of its device.
public struct SessionConfiguration: Sendable {
  /// How hard the session tries to have its device.
  public var policy: ReconnectPolicy
  /// The services that are discovered; `nil` for all.
  public var services: [CBUUID]?
  /// What proves that a device is the one that was meant, before anything else is said to it.
  public var identity: IdentityCheck?
  /// What has to come to a good end, one after the other, before the session is ready.
  public var opening: [OpeningStep]
  /// Where the device's address stands in what it advertises; it is remembered with the device.
  public var addressRule: DeviceAddressRule?
  /// What `CBCentralManager.connect` takes: booleans and numbers.
  public var connectOptions: [String: Bool]
  /// How long the device may take for one answer. Past it the link counts as broken: the Attribute Protocol allows 30 s.
  public var answerTime: Duration
  /// What a user can do for a device that sleeps, such as "press its button": told when it does not come at once.
  public var wakeHint: String?
  /// Past this without the device the hint is given.
  public var patience: Duration

  /// By default all services, no opening, and the standard policy.
  public init(
    policy: ReconnectPolicy = ReconnectPolicy(), services: [CBUUID]? = nil, identity: IdentityCheck? = nil,
    opening: [OpeningStep] = [], addressRule: DeviceAddressRule? = nil, connectOptions: [String: Bool] = [:],
    answerTime: Duration = .seconds(35), wakeHint: String? = nil, patience: Duration = .seconds(5)
  ) {
    self.policy = policy
    self.services = services
    self.identity = identity
    self.opening = opening
    self.addressRule = addressRule
    self.connectOptions = connectOptions
    self.answerTime = answerTime
    self.wakeHint = wakeHint
    self.patience = patience
  }
}
