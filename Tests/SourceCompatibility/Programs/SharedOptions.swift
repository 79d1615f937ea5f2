import CoreBluetooth

/// Connection options of all kinds in one constant.
final class SharedOptions: ConnectingProgram, Program {
  func run(on stage: any Stage) async throws {
    let sensor = Sensor(options: stage.options("sensor"))
    connectOptions = [
      CBConnectPeripheralOptionNotifyOnConnectionKey: true,
      CBConnectPeripheralOptionNotifyOnDisconnectionKey: NSNumber(value: true),
      CBConnectPeripheralOptionNotifyOnNotificationKey: NSNumber(booleanLiteral: true),
      CBConnectPeripheralOptionStartDelayKey: 2 as NSNumber,
      CBConnectPeripheralOptionRequiresANCS: false,
      "an option of another system": "ignored",
    ]
    start(stage)
    try await stage.wait { self.device?.state == .connecting }
    await stage.pass(1)
    try check(!isConnected)
    try await stage.wait { self.isConnected }
    withExtendedLifetime(sensor) {}
  }
}
