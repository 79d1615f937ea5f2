import BLECore
import BLEWire

/// Scanning and looking for peers to connect to, in turns, on a controller that does not do both at once.
///
/// Which of its states a controller combines is its own affair (Core, Vol 6 Part B 1.1). What it says of it beforehand is often
/// wrong: that turns are needed is learned when it refuses the one beside the other with Command Disallowed.
struct SearchTurns {
  /// As long as one group of wanted devices is looked for while others wait.
  static let length = Connector.turn

  var isNeeded = false
  /// Whose turn it is where both are wanted.
  var isConnecting = true
  fileprivate var timer: TimerToken?
  fileprivate var isArranging = false
}

extension HostStack {
  /// Whether the controller has just shown that it can't do both.
  func mustTakeTurns(_ status: HCIErrorCode) -> Bool {
    status == .commandDisallowed && !turns.isNeeded && connector.isInitiating
      && (wantsScan || scanSwitch.isOn || scanSwitch.isChanging)
  }

  /// What was refused comes in its turn, a connection first: that one is waited for.
  func takeTurns() {
    log.log(.info, "the controller does not connect while it scans: they take turns")
    turns.isNeeded = true
    if scanSwitch.isOn { connector.initiationPostponed() }
    updateScan()
  }

  /// Lets the one begin when the other has stopped.
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
