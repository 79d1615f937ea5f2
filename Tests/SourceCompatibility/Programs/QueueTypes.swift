import CoreBluetooth

/// The older name of a queue, in a signature of the program's own.
final class QueueTypes: NSObject, Program, CBCentralManagerDelegate {
  private let key = DispatchSpecificKey<String>()
  private var isOnQueue = false

  private func makeManager(queue: dispatch_queue_t?, options: [String: Any]?) -> CBCentralManager {
    CBCentralManager(delegate: self, queue: queue, options: options)
  }

  func run(on stage: any Stage) async throws {
    let queue = DispatchQueue(label: "bluetooth", qos: .userInitiated)
    queue.setSpecific(key: key, value: "bluetooth")
    let manager = makeManager(queue: queue, options: stage.options("phone"))
    try check(manager.state == .unknown)
    try await stage.wait { manager.state == .poweredOn && self.isOnQueue }
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    isOnQueue = DispatchQueue.getSpecific(key: key) == "bluetooth"
  }
}
