import CoreBluetooth

/// Remembers a device by its identifier and connects without scanning.
final class ReconnectByIdentifier: ConnectingProgram, Program {
  func run(on stage: any Stage) async throws {
    let sensor = Sensor(options: stage.options("sensor"))
    start(stage)
    try await stage.wait { self.isConnected }
    let stored = try unwrap(device).identifier.uuidString
    manager.cancelPeripheralConnection(try unwrap(device))
    try await stage.wait { !self.isConnected }
    let identifiers = [stored].compactMap(UUID.init(uuidString:))
    let known = manager.retrievePeripherals(withIdentifiers: identifiers)
    try check(known.map(\.identifier) == identifiers)
    manager.connect(try unwrap(known.first))
    try await stage.wait { self.isConnected }
    let services = [CBUUID(string: Sensor.heartRate)]
    try check(manager.retrieveConnectedPeripherals(withServices: services).count <= 1)
    withExtendedLifetime(sensor) {}
  }
}
