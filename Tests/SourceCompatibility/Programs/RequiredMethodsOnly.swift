import CoreBluetooth

/// Delegates that implement only the required methods.
final class RequiredMethodsOnly: Program {
  private final class Central: NSObject, CBCentralManagerDelegate {
    var states: [CBManagerState] = []
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
      states.append(central.state)
      central.scanForPeripherals(withServices: nil)
    }
  }

  private final class Peripheral: NSObject, CBPeripheralManagerDelegate {
    var states: [CBManagerState] = []
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
      states.append(peripheral.state)
      peripheral.add(CBMutableService(type: CBUUID(string: "FF11"), primary: true))
      peripheral.startAdvertising(nil)
    }
  }

  private final class Remote: NSObject, CBPeripheralDelegate {}

  func run(on stage: any Stage) async throws {
    let central = Central()
    let peripheral = Peripheral()
    let remote = Remote()
    let first = CBCentralManager(
      delegate: central, queue: DispatchQueue(label: "first"), options: stage.options("phone"))
    let second = CBPeripheralManager(
      delegate: peripheral, queue: DispatchQueue(label: "second"), options: stage.options("sensor"))
    await stage.pass(5)
    try check(central.states == [.poweredOn] && peripheral.states == [.poweredOn])
    try check(first.isScanning && second.isAdvertising)
    withExtendedLifetime(remote) {}
  }
}
