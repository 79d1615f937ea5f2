import CoreBluetooth

/// A singleton with a lazy manager and a convenience initializer, as many samples have it.
final class LazyManager: NSObject, Program, CBPeripheralManagerDelegate {
  private final class Holder: NSObject {
    var options: [String: Any] = [:]
    weak var delegate: CBPeripheralManagerDelegate?
    lazy var manager: CBPeripheralManager = {
      CBPeripheralManager(delegate: delegate, queue: DispatchQueue.global(qos: .utility), options: options)
    }()
  }

  private var error: Error??

  func run(on stage: any Stage) async throws {
    let holder = Holder()
    holder.options = stage.options("sensor")
    holder.delegate = self
    try check(holder.manager.isAdvertising == false)
    try await stage.wait { self.error != nil }
    let failure = try unwrap(error)
    try check(failure == nil && holder.manager.isAdvertising)
    holder.manager.startAdvertising(nil)
    try await stage.wait { (self.error ?? nil) != nil }
    try check((self.error ?? nil) as? CBError == CBError(.alreadyAdvertising))
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    if peripheral.state == .poweredOn { peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: "lazy"]) }
  }

  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: Error?) {
    self.error = .some(error)
  }
}
