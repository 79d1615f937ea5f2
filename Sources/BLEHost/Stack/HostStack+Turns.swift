import BLECore
import BLEWire

/// Scanning and initiating in turns, for a controller that does not support both at the same time.
///
/// A controller need not support combinations of states (Core, Vol 6 Part B 1.1). The combinations that it lists are often wrong, so
/// turns are used once it refuses one of the two with Command Disallowed while the other is active.
struct SearchTurns {
  /// The same as the turn of one group of wanted devices.
  static let length = Connector.turn

  var isNeeded = false
  /// Whether it is the turn of initiating, if both are wanted.
  var isConnecting = true
  fileprivate var timer: TimerToken?
  fileprivate var isArranging = false
}

extension HostStack {
  /// Whether this status shows that the controller does not support both at the same time.
  func mustTakeTurns(_ status: HCIErrorCode) -> Bool {
    status == .commandDisallowed && !turns.isNeeded && connector.isInitiating
      && (wantsScan || scanSwitch.isOn || scanSwitch.isChanging)
  }

  /// Starts to take turns. Initiating comes first, because a pending connection is usually more urgent.
  func takeTurns() {
    log.log(.info, "the controller cannot scan and initiate at the same time: they take turns")
    turns.isNeeded = true
    if scanSwitch.isOn { connector.initiationPostponed() }
    updateScan()
  }

  /// Starts the activity whose turn it is, once the other one has stopped.
  func arrangeTurns() {
    guard turns.isNeeded, isRunning, !turns.isArranging else { return }
    turns.isArranging = true
    defer { turns.isArranging = false }
    if wantsScan && connector.isSearching {
      if turns.timer == nil {
        turns.timer = loop.schedule(after: SearchTurns.length, .background) { [weak self] in self?.changeTurns() }
      }
    } else {
      stopTurnTimer()
      turns.isConnecting = true
    }
    if connector.isSearching && turns.isConnecting {
      scanSwitch.isPaused = true
      if !scanSwitch.isOn && !scanSwitch.isChanging { connector.setPaused(false) }
    } else {
      connector.setPaused(true)
      scanSwitch.isPaused = connector.isInitiating
    }
  }

  func endTurns() {
    stopTurnTimer()
    turns = SearchTurns()
  }

  private func changeTurns() {
    turns.timer = nil
    turns.isConnecting.toggle()
    updateScan()
  }

  private func stopTurnTimer() {
    if let timer = turns.timer { loop.cancel(timer) }
    turns.timer = nil
  }
}
