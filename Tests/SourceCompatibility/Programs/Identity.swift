import CoreBluetooth

/// Compares objects in every available way.
final class Identity: NSObject, Program, CBCentralManagerDelegate {
  private var sightings: [CBPeripheral] = []

  func run(on stage: any Stage) async throws {
    let sensor = Sensor(options: stage.options("sensor"))
    let manager = CBCentralManager(
      delegate: self, queue: DispatchQueue(label: "identity"), options: stage.options("phone"))
    try await stage.wait { self.sightings.count > 3 }
    let first = sightings[0]
    for other in sightings {
      try check(first === other && first == other && first.isEqual(other) && first.hash == other.hash)
      try check(first.identifier == other.identifier)
    }
    try check(sightings.firstIndex(of: first) == 0 && sightings.contains(first))
    let found = manager.retrievePeripherals(withIdentifiers: [first.identifier])
    try check(found.first === first)
    try check(!first.isEqual("first") && !first.isEqual(nil))
    try check((first.copy() as? CBPeripheral) === first)
    withExtendedLifetime(sensor) {}
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    central.scanForPeripherals(withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    sightings.append(peripheral)
  }
}
