import BLETestKit
import CoreBluetooth
import Testing

final class Lamp: NSObject, CBPeripheralManagerDelegate {
  static let service = CBUUID(string: "FF11")
  static let light = CBUUID(string: "FF22")

  private var manager: CBPeripheralManager?
  private let queue = DispatchQueue(label: "lamp")
  private(set) var isOn = false

  init(options: [String: Any]? = nil) {
    super.init()
    manager = CBPeripheralManager(delegate: self, queue: queue, options: options)
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    guard peripheral.state == .poweredOn else { return }
    let service = CBMutableService(type: Self.service, primary: true)
    service.characteristics = [
      CBMutableCharacteristic(
        type: Self.light, properties: [.read, .write], value: nil, permissions: [.readable, .writeable])
    ]
    peripheral.removeAllServices()
    peripheral.add(service)
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
    if let error { return print("not published:", error.localizedDescription) }
    peripheral.startAdvertising([
      CBAdvertisementDataLocalNameKey: "Lamp",
      CBAdvertisementDataServiceUUIDsKey: [Self.service],
    ])
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    request.value = Data([isOn ? 1 : 0])
    peripheral.respond(to: request, withResult: .success)
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    guard let last = requests.last else { return }
    let values = requests.map { $0.value ?? Data() }
    guard values.allSatisfy({ $0.count == 1 }) else {
      return peripheral.respond(to: last, withResult: .invalidAttributeValueLength)
    }
    isOn = values.last?.first != 0
    peripheral.respond(to: last, withResult: .success)
  }
}

final class Remote: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
  private var manager: CBCentralManager?
  private let queue = DispatchQueue(label: "remote")
  nonisolated(unsafe) private(set) var lamp: CBPeripheral?

  init(options: [String: Any]? = nil) {
    super.init()
    manager = CBCentralManager(delegate: self, queue: queue, options: options)
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    guard central.state == .poweredOn else { return }
    central.scanForPeripherals(withServices: [CBUUID(string: "FF11")])
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    lamp = peripheral
    central.stopScan()
    central.connect(peripheral)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    peripheral.delegate = self
    peripheral.discoverServices([CBUUID(string: "FF11")])
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {
    // Connecting has no time-out: it takes effect whenever the lamp is there again.
    central.connect(peripheral)
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    for service in peripheral.services ?? [] {
      peripheral.discoverCharacteristics([CBUUID(string: "FF22")], for: service)
    }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) {
    for characteristic in service.characteristics ?? [] {
      peripheral.writeValue(Data([1]), for: characteristic, type: .withResponse)
    }
  }

  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    print(error.map { "not switched: \($0.localizedDescription)" } ?? "switched on")
  }
}

@Suite(.keepsCapture)
struct LampTests {
  @Test func theRemoteComesBackToTheLamp() async throws {
    let world = World()
    let table = world.makeDevice("table")
    let phone = world.makeDevice("phone")
    let lamp = Lamp(options: table.options)
    let remote = Remote(options: phone.options)
    try await world.wait(within: .seconds(10)) { lamp.isOn }

    table.moveAway()
    await world.advance(by: .seconds(60))
    #expect(remote.lamp?.state == .connecting)

    table.comeBack()
    try await world.wait(within: .seconds(10)) { remote.lamp?.state == .connected }
  }
}
