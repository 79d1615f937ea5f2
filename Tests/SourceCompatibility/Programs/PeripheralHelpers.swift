import CoreBluetooth

extension CBPeripheral {
  var displayName: String { name ?? "unnamed" }

  func characteristic(_ uuid: CBUUID) -> CBCharacteristic? {
    services?.lazy.compactMap { $0.characteristics?.first { $0.uuid == uuid } }.first
  }

  func readEverything() {
    services?.flatMap { $0.characteristics ?? [] }.filter { $0.properties.contains(.read) }.forEach(readValue(for:))
  }
}

extension CBCharacteristic {
  var canNotify: Bool { properties.contains(.notify) || properties.contains(.indicate) }
  var path: String { "\(service?.uuid.uuidString ?? "?")/\(uuid.uuidString)" }
}

extension Array where Element == CBService {
  subscript(uuid: CBUUID) -> CBService? { first { $0.uuid == uuid } }
}

final class PeripheralHelpers: Program {
  func run(on stage: any Stage) async throws {
    let sensor = Sensor("Helped", options: stage.options("sensor"))
    let link = SimpleLink(options: stage.options("phone"))
    try await stage.wait { link.isComplete }
    let peripheral = try unwrap(link.peripheral)
    try check(peripheral.displayName == peripheral.name && peripheral.displayName != "unnamed")
    try check(peripheral.characteristic(CBUUID(string: "2A37"))?.canNotify == true)
    try check(peripheral.characteristic(CBUUID(string: "2A19"))?.path == "180F/2A19")
    try check(peripheral.services?[CBUUID(string: "180F")]?.isPrimary == true)
    peripheral.readEverything()
    try await stage.wait { link.values.count == 2 && link.lastError != nil }
    withExtendedLifetime(sensor) {}
  }
}
