import CoreBluetooth

/// How persistently a session tries to connect.
public struct ReconnectPolicy: Sendable, Hashable {
  /// The pauses between attempts.
  public struct BackOff: Sendable, Hashable {
    /// The pause after the first failure.
    public var first: Duration
    /// The factor between a pause and the next one.
    public var factor: Double
    /// The longest pause.
    public var longest: Duration
    /// The random part of a pause, 0 to 1, so that many devices do not reconnect at the same times.
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

    /// Returns the pause before the next attempt. `chance` is from 0 to 1; it shortens the pause by at most `jitter`.
    public func pause(afterFailures failures: Int, chance: Double) -> Duration {
      let grown = first.seconds * pow(max(1, factor), Double(max(0, min(failures, 64) - 1)))
      let cut = 1 - min(max(jitter, 0), 1) * min(max(chance, 0), 1)
      return .milliseconds(Int64(min(grown, longest.seconds) * cut * 1_000))
    }
  }

  /// How the device is searched for.
  public enum Approach: Sendable, Hashable {
    /// By a direct connection if the identifier is known, otherwise by a scan.
    case direct
    /// The same, and additionally by a scan if the device is not connected after this time: it may have a new identifier.
    case directThenScan(after: Duration)
    /// Always by a scan first.
    case scan
  }

  /// Whether the session reconnects automatically when the link is lost.
  public var isAutomatic: Bool
  /// The time for all attempts together, from the loss of the link or the user's request.
  public var budget: Duration
  /// The most attempts; `nil`: as many as the budget allows.
  public var maximumAttempts: Int?
  /// The pauses between attempts.
  public var backOff: BackOff
  /// How the device is searched for.
  public var approach: Approach

  /// Creates a policy; by default attempts continue for one minute.
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

  /// Without automatic reconnection: the user reconnects.
  public static let manual = ReconnectPolicy(isAutomatic: false)
}

/// What a session needs to know about its device.
public struct SessionConfiguration: Sendable {
  /// How persistently the session tries to connect.
  public var policy: ReconnectPolicy
  /// The services that are discovered; `nil` for all. If it is empty, nothing of the device's database is read: such a session is for
  /// channels, RSSI and pairing.
  public var services: [CBUUID]?
  /// The check that the device is the expected one, before anything else is sent to it.
  public var identity: IdentityCheck?
  /// The dialogues that have to succeed, one after another, before the session is ready.
  public var opening: [OpeningStep]
  /// Where the device's manufacturer specific data holds its address, which is remembered with the device.
  public var addressRule: DeviceAddressRule?
  /// Options of `CBCentralManager.connect(_:options:)`.
  public var connectOptions: [String: Bool]
  /// The time limit of each answer of the device. After it the link counts as broken; the Attribute Protocol allows 30 s.
  public var answerTime: Duration
  /// What the user can do to wake a sleeping device, such as "press its button"; emitted as an event if the device does not connect soon.
  public var wakeHint: String?
  /// The time after which `wakeHint` is emitted.
  public var patience: Duration

  /// Creates a configuration; by default with all services, no opening and the standard policy.
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
