import BLEAdapter

/// A role that receives its adapter's state. On the loop.
package protocol StateListener: AnyObject {
  /// The state last reported to the role's events; `nil` if none.
  var reportedState: AdapterState? { get set }
  func report(_ state: AdapterState)
  /// Called when the adapter was lost or switched off: scans, links, advertising and services of the role have ended, without events.
  func adapterWasLost()
}

extension StateListener {
  package func reportIfChanged(_ state: AdapterState) {
    if reportedState == state { return }
    reportedState = state
    report(state)
  }
}
