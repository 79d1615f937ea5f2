import CoreBluetooth

/// Implements the older disconnection callback only.
final class OldDisconnectCallback: ConnectingProgram, Program {
  private var error: Error??

  func run(on stage: any Stage) async throws {
    let sensor = Sensor(options: stage.options("sensor"))
    start(stage)
    try await stage.wait { self.isConnected }
    stage.moveAway("sensor")
    try await stage.wait(60) { self.error != nil }
    let reason = try unwrap(try unwrap(error))
    try check((reason as? CBError)?.code == .connectionTimeout)
    try check(reason.localizedDescription == "The connection has timed out unexpectedly.")
    withExtendedLifetime(sensor) {}
  }

  override func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: Error?
  ) {
    self.error = .some(error)
  }
}
