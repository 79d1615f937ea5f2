import BLEAdapter
import BLECore
import Synchronization

extension BlueZAdapter {
  /// The roles are to be told of a state.
  func stateDidChange(_ state: AdapterState) {
    log.log(.info, "the adapter is \(state)")
    snapshot.withLock { $0.state = state }
    if state == .poweredOn { agent.register() } else { endEverything() }
    let connected = state == .poweredOn ? mirror.devices.values.filter(\.isConnected) : []
    // Known before the state is told, for who asks then; told behind it.
    for device in connected { note(device) }
    for role in roles { role.tellIfNew(state) }
    for device in connected.sorted(by: { $0.number < $1.number }) { publish(device) }
  }

  /// Nothing that depended on the adapter is left, and nobody is told but of the state.
  private func endEverything() {
    discovery?.close()
    discovery = nil
    agent.stop()
    let dropped = links.values
    links = [:]
    for link in dropped { link.drop() }
    snapshot.withLock { $0.connected = [:] }
    for role in roles { role.adapterWentAway() }
  }
}
