import CoreBluetooth.CBCentralManager
import CoreBluetooth.CBError
import CoreBluetooth.CBUUID

/// Imports the parts of the framework that it needs, as sources converted from Objective-C do.
final class SubmoduleImports: NSObject, Program, CBCentralManagerDelegate {
  private var state = CBManagerState.unknown

  func run(on stage: any Stage) async throws {
    let manager = CBCentralManager(
      delegate: self, queue: DispatchQueue(label: "parts"), options: stage.options("phone"))
    try await stage.wait { self.state == .poweredOn }
    manager.scanForPeripherals(withServices: [CBUUID(string: "180D")])
    try check(manager.isScanning && (CBError(.unknown) as Error) is CBError)
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) { state = central.state }
}
