import CoreBluetooth

/// Reads advertisements by the keys' texts, as code that logs or forwards dictionaries does.
final class RawKeys: NSObject, Program, CBCentralManagerDelegate {
  private var data: [String: Any] = [:]

  func run(on stage: any Stage) async throws {
    let sensor = Sensor("Raw", options: stage.options("sensor"))
    let manager = CBCentralManager(delegate: self, queue: DispatchQueue(label: "raw"), options: stage.options("phone"))
    try await stage.wait { self.data["kCBAdvDataLocalName"] != nil }
    try check(data["kCBAdvDataLocalName"] as? String == "Raw")
    try check((data["kCBAdvDataServiceUUIDs"] as? [CBUUID])?.contains(CBUUID(string: "180D")) == true)
    try check((data["kCBAdvDataIsConnectable"] as? NSNumber)?.boolValue == true)
    try check(data["kCBAdvDataIsConnectable"] as? Bool == true)
    try check(data["kCBAdvDataManufacturerData"] == nil)
    try check(CBAdvertisementDataOverflowServiceUUIDsKey == "kCBAdvDataHashedServiceUUIDs")
    withExtendedLifetime((sensor, manager)) {}
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    central.scanForPeripherals(withServices: nil, options: ["kCBScanOptionAllowDuplicates": 1])
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    data.merge(advertisementData) { $1 }
  }
}
