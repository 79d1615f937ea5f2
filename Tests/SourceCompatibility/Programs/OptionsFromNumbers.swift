import CoreBluetooth

/// Builds options out of `NSNumber`, as sources that came from Objective-C do.
final class OptionsFromNumbers: NSObject, Program, CBCentralManagerDelegate {
  private var manager: CBCentralManager?
  private var sightings = 0

  func run(on stage: any Stage) async throws {
    let sensor = Sensor(options: stage.options("sensor"))
    var options: [String: Any] = [CBCentralManagerOptionShowPowerAlertKey: NSNumber(value: false)]
    options.merge(stage.options("phone")) { $1 }
    manager = CBCentralManager(delegate: self, queue: DispatchQueue(label: "numbers"), options: options)
    try await stage.wait { self.sightings > 5 }
    withExtendedLifetime(sensor) {}
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    guard central.state == .poweredOn else { return }
    let options = [CBCentralManagerScanOptionAllowDuplicatesKey: NSNumber(value: true as Bool)]
    central.scanForPeripherals(withServices: nil, options: options)
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    sightings += 1
  }
}
