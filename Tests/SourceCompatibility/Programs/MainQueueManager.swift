import CoreBluetooth

/// No queue given: callbacks come on the main queue, where user interfaces live.
final class MainQueueManager: NSObject, Program, CBCentralManagerDelegate {
  private var wasMain = false
  private var state: CBManagerState?

  func run(on stage: any Stage) async throws {
    let manager = CBCentralManager(delegate: self, queue: nil, options: stage.options("phone"))
    try await stage.wait { self.state != nil }
    try check(wasMain && manager.state == .poweredOn)
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    dispatchPrecondition(condition: .onQueue(.main))
    wasMain = true
    state = central.state
  }
}
