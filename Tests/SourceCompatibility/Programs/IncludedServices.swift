import CoreBluetooth

/// Publishes a service within a service, and discovers it.
final class IncludedServices: NSObject, Program, CBPeripheralManagerDelegate, CBPeripheralDelegate {
  private var inner: [CBUUID] = []
  private let included = CBMutableService(type: CBUUID(string: "FFE0"), primary: false)

  func run(on stage: any Stage) async throws {
    let manager = CBPeripheralManager(
      delegate: self, queue: DispatchQueue(label: "outer"), options: stage.options("sensor"))
    let link = SimpleLink(options: stage.options("phone"))
    try await stage.wait { link.isComplete }
    link.peripheral?.delegate = self
    link.peripheral?.discoverIncludedServices(nil, for: try unwrap(link.service("180D")))
    try await stage.wait { !self.inner.isEmpty }
    try check(inner == [CBUUID(string: "FFE0")])
    withExtendedLifetime(manager) {}
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    if peripheral.state == .poweredOn { peripheral.add(included) }
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: Error?) {
    guard error == nil, service === included else { return }
    let outer = CBMutableService(type: CBUUID(string: "180D"), primary: true)
    outer.includedServices = [included]
    peripheral.add(outer)
    peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [outer.uuid]])
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: Error?) {
    inner = service.includedServices?.map { $0.uuid } ?? []
  }
}
