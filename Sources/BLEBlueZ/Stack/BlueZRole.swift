import BLEAdapter

/// Told about the adapter's state: both kinds of role. On the loop.
protocol BlueZRole: AnyObject {
  /// What the role's events were told last; `nil` where nothing.
  var toldState: AdapterState? { get set }
  func tell(_ state: AdapterState)
  /// The adapter or the daemon is gone: scans, links, advertising and services of the role have ended, without events.
  func adapterWentAway()
}

extension BlueZRole {
  func tellIfNew(_ state: AdapterState) {
    if toldState == state { return }
    toldState = state
    tell(state)
  }
}
