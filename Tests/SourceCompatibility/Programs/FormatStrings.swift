import CoreBluetooth

/// Logs with format strings.
final class FormatStrings: Program {
  private func log(_ format: String, _ arguments: CVarArg...) -> String { String(format: format, arguments: arguments) }

  func run(on stage: any Stage) async throws {
    let sensor = Sensor(options: stage.options("sensor"))
    let link = SimpleLink(options: stage.options("phone"))
    try await stage.wait { link.isComplete }
    let peripheral = try unwrap(link.peripheral)
    let service = try unwrap(link.service(Sensor.battery))
    let characteristic = try unwrap(link.characteristic(Sensor.level))
    try check(log("found %@", peripheral).hasPrefix("found <CBPeripheral"))
    try check(log("%@ has %d", service, 1).contains("<CBService"))
    try check(log("%@ %@", characteristic, CBUUID(string: "FF11")).hasSuffix(" FF11"))
    try check(log("%@ %@", link.manager, sensor.manager).contains("CBPeripheralManager"))
    try check(String(format: "%@", peripheral) == "\(peripheral)")
    try check(peripheral.description.contains(peripheral.identifier.uuidString))
    withExtendedLifetime(sensor) {}
  }
}
