import BLECore
import BLEWire

/// A procedure that one side can begin (Core, Vol 6 Part B 5.1).
enum LinkProcedure: Equatable {
  case versionExchange
  case featureExchange
  case dataLengthUpdate
  /// `isFromHost`: the host is notified of the end.
  case phyUpdate(transmit: LEPHYSet, receive: LEPHYSet, isFromHost: Bool)
  /// Begun by the central.
  case connectionUpdate(ConnectionTiming)
  /// Begun by the peripheral.
  case parameterRequest(ConnectionParameterRequest)
  /// Begun by the central.
  case channelMapUpdate(UInt64)
  /// Begun by the central: encryption starts, or gets another key.
  case encryption(EncryptionStart)

  /// Two of these must not run at the same time: they end at an instant.
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

/// The control procedures of one end of a connection: one at a time, the others wait. A class, whose
/// properties are read and written as a whole: see `HCILink`.
final class ProcedureState {
  struct PHYChange {
    var transmit: LEPHY
    var receive: LEPHY
    /// The host requested it, and is notified even if nothing changes.
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
  /// The peer's request, which was passed to the host.
  var openRequest: ConnectionParameterRequest?

  /// Whether a change waits for its event.
  var hasInstant: Bool { timingChange != nil || phyChange != nil || channelMapChange != nil }
  var isRunning: Bool { running != nil }

  /// Running and waiting procedures.
  func contains(where matches: (LinkProcedure) -> Bool) -> Bool {
    if let running, matches(running) { return true }
    return queue.contains(where: matches)
  }

  func enqueue(_ procedure: LinkProcedure) { queue.append(procedure) }

  /// Starts the next procedure.
  func startNext(on loop: any StackLoop, for target: any TimerTarget) -> LinkProcedure? {
    guard running == nil, !queue.isEmpty else { return nil }
    let procedure = queue.removeFirst()
    running = procedure
    restartTimer(loop, for: target)
    return procedure
  }

  /// The procedure response time-out (Core, Vol 6 Part B 5.2).
  static let responseTimeout = StackDuration.seconds(40)

  /// The peer has responded, and another response is awaited.
  func restartTimer(_ loop: any StackLoop, for target: any TimerTarget) {
    loop.cancel(timer)
    timer = loop.schedule(
      at: loop.now + Self.responseTimeout, .background, target, tag: Connection.Timer.procedure.rawValue)
  }

  func finish(_ loop: any StackLoop) {
    running = nil
    loop.cancel(timer)
  }

  func cancelTimer(_ loop: any StackLoop) { loop.cancel(timer) }
}
