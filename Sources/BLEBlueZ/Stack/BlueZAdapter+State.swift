import BLEAdapter
import BLECore
import BLEHost
import Synchronization

extension BlueZAdapter {
  /// Called with a new state, to be reported to the roles.
  func stateDidChange(_ state: AdapterState) {
    log.log(.info, "the adapter is \(state)")
    snapshot.withLock { $0.state = state }
    if state == .poweredOn { agent.register() } else { endEverything() }
    let connected = state == .poweredOn ? mirror.devices.values.filter(\.isConnected) : []
    // Recorded before the state is reported, since the delegate may read it then; reported after the state.
    for device in connected { note(device) }
    for role in roles { role.reportIfChanged(state) }
    for device in connected.sorted(by: { $0.number < $1.number }) { publish(device) }
  }

  /// Discards everything that depended on the adapter. The roles' only event is the new state.
  private func endEverything() {
    discovery?.close()
    discovery = nil
    agent.stop()
    dropLinks()
    snapshot.withLock { $0.connected = [:] }
    for role in roles { role.adapterWasLost() }
  }

  /// Discards all links, without events to the centrals.
  func dropLinks() {
    let dropped = links.values
    links = [:]
    for link in dropped { link.drop() }
  }
}
