import BLEAdapter
import BLECore
import BLEHost

extension BlueZAdapter: PeripheralEnvironment {
  func peer(at address: DeviceAddress) -> KnownPeer { directory.peer(at: address) }

  var connectedDevices: [KnownPeer] {
    mirror.devices.values.filter { $0.isConnected && $0.adapter == adapterPath }.map { directory.peer(at: $0.address) }
  }
}
