import CoreBluetooth

/// A program as it is outside of tests: a manager on the process's own adapter, without a world. Tests are built for debugging, so only this
/// shows what the optimizer makes of the way to the adapter.
///
/// `@unchecked Sendable`: the manager is set before anyone else has this object.
final class PlainProgram: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
  private let ready = DispatchSemaphore(value: 0)
  private var manager: CBCentralManager?

  /// Waits until the adapter is powered on.
  /// - Throws: `Failure` with the state if it is not after a minute.
  static func check() throws {
    let program = PlainProgram()
    let manager = CBCentralManager(delegate: program, queue: DispatchQueue(label: "plain"))
    program.manager = manager
    guard program.ready.wait(timeout: .now() + 60) == .success else {
      throw Failure(description: "the process's own adapter is in state \(manager.state.rawValue), not powered on")
    }
    print("the process's own adapter is powered on")
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    if central.state == .poweredOn { ready.signal() }
  }
}
