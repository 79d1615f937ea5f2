import BLEAdapter

/// What both kinds of role have in common: they receive the adapter's state. On the loop.
protocol BlueZRole: AnyObject {
  /// The last state reported to the role's events; `nil` for none.
  var reportedState: AdapterState? { get set }
  func report(_ state: AdapterState)
  /// Called when the adapter or the daemon is gone: scans, links, advertising and services of the role have ended, without events.
  func adapterWentAway()
}

extension BlueZRole {
  func reportIfChanged(_ state: AdapterState) {
    if reportedState == state { return }
    reportedState = state
    report(state)
  }
}
