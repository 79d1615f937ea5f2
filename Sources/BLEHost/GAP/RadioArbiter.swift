import BLECore
import BLEWire

/// Decides when the controller scans and when it may initiate. A value without I/O: inputs return the actions to perform, in order.
///
/// A controller need not support combinations of states (Core, Vol 6 Part B 1.1). The combinations that it lists are often wrong, so
/// scanning and initiating take turns once it refuses one of the two with Command Disallowed while the other is active.
struct RadioArbiter {
  /// What the stack wants at the moment.
  struct Wishes {
    /// Whether a scan is wanted.
    var scans = false
    /// Whether the scan is to have the background's interval and window.
    var isInBackground = false
    /// Whether there is a device to initiate to.
    var connects = false
    /// Whether the controller is initiating, or its initiation is being cancelled.
    var isInitiating = false
  }

  enum Input {
    case wishesChanged
    /// The controller has answered the last `startScan` or `stopScan`.
    case scanAnswered(HCIErrorCode)
    /// The controller refused to initiate because it scans; see `mustTakeTurns`.
    case initiationRefused
    /// The time of the one whose turn it was has passed.
    case turnEnded
    /// The scan is on, and has to be restarted because it no longer reports anything.
    case scanIsSilent
  }

  enum Action: Equatable {
    /// Answered by `scanAnswered`.
    case startScan(isSlow: Bool)
    /// Answered by `scanAnswered`.
    case stopScan
    case allowInitiating
    case pauseInitiating
    /// The initiation that was refused has ended; its devices stay wanted.
    case postponeInitiation
    case armTurnTimer
    case cancelTurnTimer
    case reportTurns
    case reportRefusal(HCIErrorCode, ofStart: Bool)
  }

  /// The same as the turn of one group of wanted devices.
  static let turn = Connector.turn

  /// Whether the controller scans, as far as it has answered.
  private(set) var isScanning = false
  /// Whether the controller was told to start (true) or to stop, and has not answered.
  private var pendingScan: Bool?
  /// Whether it scans, or is starting to, with the background's interval and window.
  private var isSlow = false
  private var mustRestartScan = false
  /// It is the turn of initiating, or initiating has not stopped yet.
  private var isScanPaused = false
  private(set) var takesTurns = false
  /// Whether it is the turn of initiating, if both are wanted. It comes first, because a pending connection is usually more urgent.
  private var isConnecting = true
  private var hasTurnTimer = false

  /// Whether the controller scans, or will when it has executed all commands.
  var willScan: Bool { pendingScan ?? isScanning }
  /// Whether the scan is on, and not about to be stopped.
  var isScanningSteadily: Bool { isScanning && pendingScan == nil }

  /// Whether this status shows that the controller does not support scanning and initiating at the same time.
  func mustTakeTurns(_ status: HCIErrorCode, _ wishes: Wishes) -> Bool {
    status == .commandDisallowed && !takesTurns && wishes.isInitiating
      && (wishes.scans || isScanning || pendingScan != nil)
  }

  mutating func handle(_ input: Input, _ wishes: Wishes) -> [Action] {
    var wishes = wishes
    var actions: [Action] = []
    switch input {
    case .wishesChanged: break
    case .scanAnswered(let status):
      guard let isStart = pendingScan else { break }
      pendingScan = nil
      if isStart, mustTakeTurns(status, wishes) {
        takesTurns = true
        actions = [.reportTurns]
      } else {
        // A refused change counts as done: repeating it immediately could continue forever.
        isScanning = isStart
        if !status.isSuccess { actions = [.reportRefusal(status, ofStart: isStart)] }
      }
    case .initiationRefused:
      takesTurns = true
      wishes.isInitiating = false
      actions = [.reportTurns, .postponeInitiation]
    case .turnEnded:
      hasTurnTimer = false
      isConnecting.toggle()
    case .scanIsSilent: mustRestartScan = true
    }
    return actions + arrangeTurns(wishes) + updateScan(wishes)
  }

  /// Starts the activity whose turn it is, once the other one has stopped.
  private mutating func arrangeTurns(_ wishes: Wishes) -> [Action] {
    guard takesTurns else { return [] }
    var actions: [Action] = []
    let needsTimer = wishes.scans && wishes.connects
    if needsTimer != hasTurnTimer { actions = [needsTimer ? .armTurnTimer : .cancelTurnTimer] }
    hasTurnTimer = needsTimer
    if !needsTimer { isConnecting = true }
    if wishes.connects && isConnecting {
      isScanPaused = true
      if !isScanning && pendingScan == nil { actions.append(.allowInitiating) }
    } else {
      isScanPaused = wishes.isInitiating
      actions.append(.pauseInitiating)
    }
    return actions
  }

  /// Starts or stops the scan as wanted. One change at a time; another interval and window take effect by a restart.
  private mutating func updateScan(_ wishes: Wishes) -> [Action] {
    guard pendingScan == nil else { return [] }
    let isWanted = wishes.scans && !isScanPaused
    if isScanning ? isWanted && isSlow == wishes.isInBackground && !mustRestartScan : !isWanted { return [] }
    mustRestartScan = false
    pendingScan = !isScanning
    if isScanning { return [.stopScan] }
    isSlow = wishes.isInBackground
    return [.startScan(isSlow: isSlow)]
  }
}
