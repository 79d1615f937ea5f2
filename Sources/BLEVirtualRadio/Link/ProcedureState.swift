import BLECore
import BLEWire

/// What one side can begin with the other (Core, Vol 6 Part B 5.1).
enum LinkProcedure: Equatable {
  case versionExchange
  case featureExchange
  case dataLengthUpdate
  /// `isFromHost`: the host waits for the end.
  case phyUpdate(transmit: LEPHYSet, receive: LEPHYSet, isFromHost: Bool)
  /// The central's.
  case connectionUpdate(ConnectionTiming)
  /// The peripheral's proposal.
  case parameterRequest(ConnectionParameterRequest)
  /// The central's.
  case channelMapUpdate(UInt64)
  /// The central's: encryption starts, or gets another key.
  case encryption(EncryptionStart)

  /// Two of these must not go on at the same time: they end at an instant.
  var hasInstant: Bool {
    switch self {
    case .phyUpdate, .connectionUpdate, .parameterRequest, .channelMapUpdate: true
    default: false
    }
  }
}

/// A change that takes effect at a connection event.
struct PendingChange<Value> {
  var event: Int
  var value: Value
}

/// The control procedures of one end of a connection: one at a time, the others wait.
struct ProcedureState {
  struct PHYChange {
    var transmit: LEPHY
    var receive: LEPHY
    /// The host asked, and is told even if nothing changes.
    var isFromHost: Bool
  }

  struct TimingChange {
    var timing: ConnectionTiming
    var isFromHost: Bool
  }

  private(set) var running: LinkProcedure?
  private var queue: [LinkProcedure] = []
  private var timer = TimerToken()

  var timingChange: PendingChange<TimingChange>?
  var phyChange: PendingChange<PHYChange>?
  var channelMapChange: PendingChange<UInt64>?
  var isVersionSent = false
  var remoteVersion: VersionIndication?
  var remoteFeatures: UInt64?
  /// The peer's proposal, which the host has been asked about.
  var openRequest: ConnectionParameterRequest?

  /// A change waits for its event.
  var hasInstant: Bool { timingChange != nil || phyChange != nil || channelMapChange != nil }
  var isRunning: Bool { running != nil }

  /// Procedures that go on or wait.
  func contains(where matches: (LinkProcedure) -> Bool) -> Bool {
    if let running, matches(running) { return true }
    return queue.contains(where: matches)
  }

  mutating func enqueue(_ procedure: LinkProcedure) { queue.append(procedure) }

  /// Makes the next one the running one.
  mutating func startNext(on loop: any StackLoop, for target: any TimerTarget) -> LinkProcedure? {
    guard running == nil, !queue.isEmpty else { return nil }
    let procedure = queue.removeFirst()
    running = procedure
    restartTimer(loop, for: target)
    return procedure
  }

  /// The procedure response time-out (Core, Vol 6 Part B 5.2).
  static let responseTimeout = StackDuration.seconds(40)

  /// The peer has answered, and another answer is awaited.
  mutating func restartTimer(_ loop: any StackLoop, for target: any TimerTarget) {
    loop.cancel(timer)
    timer = loop.schedule(
      at: loop.now + Self.responseTimeout, .background, target, tag: Connection.Timer.procedure.rawValue)
  }

  mutating func finish(_ loop: any StackLoop) {
    running = nil
    loop.cancel(timer)
  }

  func cancelTimer(_ loop: any StackLoop) { loop.cancel(timer) }
}
