import CoreBluetooth

/// Distinguishes its own attributes from a peer's by their class.
final class LocalOrRemote: Program {
  private func kind(_ characteristic: CBCharacteristic) -> String {
    if characteristic is CBMutableCharacteristic { return "local" }
    return characteristic.service?.peripheral == nil ? "lost" : "remote"
  }

  func run(on stage: any Stage) async throws {
    let sensor = Sensor(options: stage.options("sensor"))
    let link = SimpleLink(options: stage.options("phone"))
    try await stage.wait { link.isComplete }
    try check(kind(try unwrap(link.characteristic(Sensor.level))) == "remote")
    let own = CBMutableCharacteristic(
      type: CBUUID(string: "FF22"), properties: .read, value: nil, permissions: .readable)
    try check(kind(own) == "local")
    let attributes: [CBAttribute] = [own, try unwrap(link.service(Sensor.battery))]
    try check(attributes.compactMap { $0 as? CBService }.count == 1)
    try check(attributes.map(\.uuid.uuidString) == ["FF22", "180F"])
    withExtendedLifetime(sensor) {}
  }
}
