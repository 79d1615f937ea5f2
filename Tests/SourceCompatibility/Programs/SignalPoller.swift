import CoreBluetooth

/// Reads the signal strength again as soon as it has it.
final class SignalPoller: NSObject, Program, CBPeripheralDelegate {
  private var values: [Int] = []

  func run(on stage: any Stage) async throws {
    let sensor = Sensor(options: stage.options("sensor"))
    let link = SimpleLink(options: stage.options("phone"))
    try await stage.wait { link.isComplete }
    link.peripheral?.delegate = self
    link.peripheral?.readRSSI()
    try await stage.wait { self.values.count == 5 }
    try check(values.allSatisfy { (-127...20).contains($0) })
    withExtendedLifetime(sensor) {}
  }

  func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: Error?) {
    guard error == nil else { return }
    values.append(Int(truncating: RSSI))
    if values.count < 5 { peripheral.readRSSI() }
  }
}
