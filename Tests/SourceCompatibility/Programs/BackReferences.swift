import CoreBluetooth

/// Goes from a value back to its device, by references that may be nil.
final class BackReferences: NSObject, Program, CBPeripheralDelegate {
  private var path: String?

  func run(on stage: any Stage) async throws {
    let sensor = Sensor("Back", options: stage.options("sensor"))
    let link = SimpleLink(options: stage.options("phone"))
    try await stage.wait { link.isComplete }
    link.peripheral?.delegate = self
    let place = try unwrap(link.characteristic(Sensor.location))
    link.peripheral?.discoverDescriptors(for: place)
    try await stage.wait { self.path != nil }
    let name = try unwrap(link.peripheral?.name)
    try check(path == "\(name)/180D/2A38/2901")
    try check(place.service?.peripheral === link.peripheral)
    guard let peripheral = place.service?.peripheral else { throw CheckFailure(description: "no way back") }
    try check(peripheral.identifier == link.peripheral?.identifier)
    withExtendedLifetime(sensor) {}
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: Error?)
  {
    guard let descriptor = characteristic.descriptors?.first(where: { $0.uuid.uuidString == "2901" }) else { return }
    let parts = [
      descriptor.characteristic?.service?.peripheral?.name, descriptor.characteristic?.service?.uuid.uuidString,
      descriptor.characteristic?.uuid.uuidString, descriptor.uuid.uuidString,
    ]
    path = parts.compactMap { $0 }.joined(separator: "/")
  }
}
