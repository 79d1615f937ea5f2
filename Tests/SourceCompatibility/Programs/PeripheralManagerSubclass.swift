import CoreBluetooth

/// Subclasses the other manager, and is its own delegate.
class SelfMadePeripheral: CBPeripheralManager, CBPeripheralManagerDelegate {
  private(set) var isPublished = false

  override init(delegate: CBPeripheralManagerDelegate?, queue: DispatchQueue?, options: [String: Any]? = nil) {
    super.init(delegate: delegate, queue: queue, options: options)
  }

  override func add(_ service: CBMutableService) {
    if service.characteristics == nil { service.characteristics = [] }
    super.add(service)
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    guard peripheral.state == .poweredOn else { return }
    peripheral.add(CBMutableService(type: CBUUID(string: "FF11"), primary: true))
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: Error?) {
    isPublished = error == nil && service.uuid == CBUUID(string: "FF11")
  }
}

final class PeripheralManagerSubclass: Program {
  func run(on stage: any Stage) async throws {
    let manager = SelfMadePeripheral(
      delegate: nil, queue: DispatchQueue(label: "self made"), options: stage.options("sensor"))
    manager.delegate = manager
    try await stage.wait { manager.isPublished }
    try check(!manager.isAdvertising)
  }
}
