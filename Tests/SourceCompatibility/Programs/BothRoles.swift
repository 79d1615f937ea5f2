import CoreBluetooth

/// One object, both roles, on one device, as in mesh and chat programs.
final class BothRoles: NSObject, Program {
  private final class Node: NSObject, CBCentralManagerDelegate, CBPeripheralManagerDelegate {
    var central: CBCentralManager!
    var peripheral: CBPeripheralManager!
    var met: Set<String> = []
    let name: String

    init(_ name: String, options: [String: Any]) {
      self.name = name
      super.init()
      let queue = DispatchQueue(label: name)
      central = CBCentralManager(delegate: self, queue: queue, options: options)
      peripheral = CBPeripheralManager(delegate: self, queue: queue, options: options)
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) { central.scanForPeripherals(withServices: nil) }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
      peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: name])
    }

    func centralManager(
      _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
      rssi RSSI: NSNumber
    ) {
      if let name = advertisementData[CBAdvertisementDataLocalNameKey] as? String { met.insert(name) }
    }
  }

  func run(on stage: any Stage) async throws {
    let nodes = ["red", "green", "blue"].map { Node($0, options: stage.options($0)) }
    try await stage.wait { nodes.allSatisfy { $0.met.count == 2 } }
    for node in nodes { try check(!node.met.contains(node.name)) }
  }
}
