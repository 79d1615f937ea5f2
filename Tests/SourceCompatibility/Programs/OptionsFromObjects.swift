import CoreBluetooth

/// Options as `[String: NSObject]`, kept in a variable of that type.
final class OptionsFromObjects: NSObject, Program, CBCentralManagerDelegate {
  private let scanOptions: [String: NSObject] = [
    CBCentralManagerScanOptionAllowDuplicatesKey: NSNumber(value: true),
    CBCentralManagerScanOptionSolicitedServiceUUIDsKey: [CBUUID(string: "180D")] as NSArray,
  ]
  private var count = 0

  func run(on stage: any Stage) async throws {
    let sensor = Sensor(options: stage.options("sensor"))
    let manager = CBCentralManager(
      delegate: self, queue: DispatchQueue(label: "objects"), options: stage.options("phone"))
    try await stage.wait { self.count > 5 }
    withExtendedLifetime((sensor, manager)) {}
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    if case .poweredOn = central.state {
      central.scanForPeripherals(withServices: [CBUUID(string: "180D")], options: scanOptions)
    }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    count += 1
  }
}
