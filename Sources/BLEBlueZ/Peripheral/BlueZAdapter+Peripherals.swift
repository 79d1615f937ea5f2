import BLEAdapter
import BLEHost

extension BlueZAdapter: PeripheralGround {
  var connectedDevices: [KnownPeer] {
    mirror.devices.values.filter { $0.isConnected && $0.adapter == adapterPath }.map { directory.peer(at: $0.address) }
  }
}
