import BLEAdapter
import BLECore
import Synchronization

extension BlueZAdapter {
  /// The roles are to be told of a state.
  func stateDidChange(_ state: AdapterState) {
    log.log(.info, "the adapter is \(state)")
    snapshot.withLock { $0.state = state }
    if state != .poweredOn { endEverything() }
    if state == .poweredOn { for device in mirror.devices.values where device.isConnected { publish(device) } }
    for role in roles { role.tellIfNew(state) }
  }

  /// Nothing that depended on the adapter is left, and nobody is told but of the state.
  private func endEverything() {
    discovery?.close()
    discovery = nil
    let dropped = links.values
    links = [:]
    for link in dropped { link.drop() }
    snapshot.withLock { $0.connected = [:] }
    for role in roles { role.adapterWentAway() }
  }
}
