import CoreBluetooth

/// Stores what it knows about a device with `Codable`.
struct StoredDevice: Codable, Equatable {
  var identifier: UUID
  var services: [String]
  var state: Int

  init(_ peripheral: CBPeripheral) {
    identifier = peripheral.identifier
    services = peripheral.services?.map { $0.uuid.uuidString } ?? []
    state = peripheral.state.rawValue
  }
}

final class WrittenToFile: Program {
  func run(on stage: any Stage) async throws {
    let sensor = Sensor(options: stage.options("sensor"))
    let link = SimpleLink(options: stage.options("phone"))
    try await stage.wait { link.isComplete }
    let stored = StoredDevice(try unwrap(link.peripheral))
    let data = try JSONEncoder().encode(stored)
    let read = try JSONDecoder().decode(StoredDevice.self, from: data)
    try check(read == stored && read.services.contains("180F"))
    try check(CBPeripheralState(rawValue: read.state) == .connected)
    withExtendedLifetime(sensor) {}
  }
}
