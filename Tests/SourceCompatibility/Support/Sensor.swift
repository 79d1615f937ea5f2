import CoreBluetooth

/// The peer of the programs: a heart rate service, a battery, a serial port of the usual kind, and a characteristic that refuses.
final class Sensor: NSObject, CBPeripheralManagerDelegate {
  static let heartRate = "180D"
  static let measurement = "2A37"
  static let location = "2A38"
  static let battery = "180F"
  static let level = "2A19"
  static let serial = "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"
  static let input = "6E400002-B5A3-F393-E0A9-E50E24DCCA9E"
  static let output = "6E400003-B5A3-F393-E0A9-E50E24DCCA9E"
  static let refusing = "6E400004-B5A3-F393-E0A9-E50E24DCCA9E"

  private(set) var manager: CBPeripheralManager!
  private(set) var received = Data()
  private(set) var subscribers: [CBCentral] = []
  private let name: String
  private let queue = DispatchQueue(label: "sensor")
  private let measured: CBMutableCharacteristic
  private let sent: CBMutableCharacteristic
  private var waiting: [Data] = []

  init(_ name: String = "Sensor", options: [String: Any]) {
    self.name = name
    measured = CBMutableCharacteristic(
      type: CBUUID(string: Self.measurement), properties: [.notify], value: nil, permissions: [.readable])
    sent = CBMutableCharacteristic(
      type: CBUUID(string: Self.output), properties: [.notify], value: nil, permissions: [.readable])
    super.init()
    manager = CBPeripheralManager(delegate: self, queue: queue, options: options)
  }

  /// Sends a pulse to all subscribers.
  func beat(_ pulse: UInt8) {
    _ = manager.updateValue(Data([0, pulse]), for: measured, onSubscribedCentrals: nil)
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    guard peripheral.state == .poweredOn else { return }
    let heart = CBMutableService(type: CBUUID(string: Self.heartRate), primary: true)
    let place = CBMutableCharacteristic(
      type: CBUUID(string: Self.location), properties: [.read], value: Data([1]), permissions: [.readable])
    place.descriptors = [
      CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: "place")
    ]
    heart.characteristics = [measured, place]
    let battery = CBMutableService(type: CBUUID(string: Self.battery), primary: true)
    battery.characteristics = [
      CBMutableCharacteristic(
        type: CBUUID(string: Self.level), properties: [.read], value: Data([87]), permissions: [.readable])
    ]
    let serial = CBMutableService(type: CBUUID(string: Self.serial), primary: true)
    serial.characteristics = [
      CBMutableCharacteristic(
        type: CBUUID(string: Self.input), properties: [.write, .writeWithoutResponse], value: nil,
        permissions: [.writeable]), sent,
      CBMutableCharacteristic(
        type: CBUUID(string: Self.refusing), properties: [.read, .write], value: nil,
        permissions: [.readable, .writeable]),
    ]
    for service in [heart, battery, serial] { peripheral.add(service) }
    peripheral.startAdvertising([
      CBAdvertisementDataLocalNameKey: name,
      CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: Self.heartRate), CBUUID(string: Self.battery)],
    ])
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) {
    subscribers.append(central)
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
  ) {
    subscribers.removeAll { $0 == central }
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    // An application's own code, as vendors' devices answer.
    peripheral.respond(to: request, withResult: CBATTError.Code(rawValue: 0x80)!)
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    guard let first = requests.first else { return }
    if requests.contains(where: { $0.characteristic.uuid.uuidString == Self.refusing }) {
      peripheral.respond(to: first, withResult: .insufficientResources)
      return
    }
    for request in requests {
      received.append(request.value ?? Data())
      waiting.append(request.value ?? Data())
    }
    peripheral.respond(to: first, withResult: .success)
    echo()
  }

  func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { echo() }

  /// Written octets are sent back as notifications.
  private func echo() {
    while let next = waiting.first {
      guard manager.updateValue(next, for: sent, onSubscribedCentrals: nil) else { return }
      waiting.removeFirst()
    }
  }
}
