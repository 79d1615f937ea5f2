import CoreBluetooth

/// Discovers only what it needs, and later more.
final class SubsetOfServices: ConnectingProgram, Program, CBPeripheralDelegate {
  private var rounds: [[String]] = []

  func run(on stage: any Stage) async throws {
    let sensor = Sensor(options: stage.options("sensor"))
    start(stage)
    try await stage.wait { self.isConnected }
    device?.delegate = self
    device?.discoverServices([CBUUID(string: Sensor.battery)])
    try await stage.wait { self.rounds.count == 1 }
    device?.discoverServices([CBUUID(string: Sensor.heartRate)])
    try await stage.wait { self.rounds.count == 2 }
    try check(rounds[0] == ["180F"] && rounds[1].contains("180D"))
    withExtendedLifetime(sensor) {}
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
    rounds.append((peripheral.services ?? []).map(\.uuid.uuidString).sorted())
  }
}
