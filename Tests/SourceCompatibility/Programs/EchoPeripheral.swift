import CoreBluetooth

/// The other role: answers reads with an offset, accepts writes as a whole.
final class EchoPeripheral: NSObject, Program, CBPeripheralManagerDelegate {
  private var manager: CBPeripheralManager!
  private var stored = Data("hello".utf8)
  private let characteristic = CBMutableCharacteristic(
    type: CBUUID(string: "2A38"), properties: [.read, .write], value: nil, permissions: [.readable, .writeable])

  func run(on stage: any Stage) async throws {
    manager = CBPeripheralManager(delegate: self, queue: DispatchQueue(label: "echo"), options: stage.options("sensor"))
    let link = SimpleLink(options: stage.options("phone"))
    try await stage.wait { link.isComplete }
    let remote = try unwrap(link.characteristic("2A38"))
    link.peripheral?.readValue(for: remote)
    try await stage.wait { link.values.count == 1 }
    let long = Data(repeating: 7, count: 300)
    link.peripheral?.writeValue(long, for: remote, type: .withResponse)
    link.peripheral?.readValue(for: remote)
    try await stage.wait { link.values.count == 2 }
    try check(link.values == [Data("hello".utf8), long] && stored == long)
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    guard peripheral.state == .poweredOn else { return }
    let service = CBMutableService(type: CBUUID(string: "180D"), primary: true)
    service.characteristics = [characteristic]
    peripheral.add(service)
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: Error?) {
    guard error == nil else { return }
    peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [service.uuid]])
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    guard request.characteristic.uuid == characteristic.uuid else {
      return peripheral.respond(to: request, withResult: .attributeNotFound)
    }
    guard request.offset <= stored.count else {
      return peripheral.respond(to: request, withResult: .invalidOffset)
    }
    request.value = stored.subdata(in: request.offset..<stored.count)
    peripheral.respond(to: request, withResult: .success)
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    var new = Data()
    for request in requests.sorted(by: { $0.offset < $1.offset }) { new.append(request.value ?? Data()) }
    stored = new
    peripheral.respond(to: requests[0], withResult: .success)
  }
}
