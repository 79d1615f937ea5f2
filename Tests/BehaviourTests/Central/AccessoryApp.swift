import CoreBluetooth
import Testing

/// A program in the peripheral role for tests of the central's behaviour: it publishes the given services, advertises, and
/// records requests.
///
/// `@unchecked Sendable`: callbacks come on the serial `queue`, and the tests look only while the world is not running.
final class AccessoryApp: NSObject, @unchecked Sendable {
  let queue = DispatchQueue(label: "accessory app")
  private(set) var manager: CBPeripheralManager!
  private let services: [CBMutableService]
  private let advertisement: [String: Any]
  /// "read FFF1 0", "wrote FFF1 0102", "subscribed FFF1", "unsubscribed FFF1".
  var asked: [String] = []
  var centrals: [CBCentral] = []
  /// Reads are answered with these values and writes change them.
  var values: [CBUUID: Data] = [:]
  /// Requests are answered with these codes in place of success.
  var verdict = CBATTError.Code.success
  /// Requests are received and not answered.
  var isMute = false

  init(_ options: [String: Any], name: String, services: [CBMutableService] = [], advertises uuids: [CBUUID] = []) {
    self.services = services
    advertisement = [CBAdvertisementDataLocalNameKey: name, CBAdvertisementDataServiceUUIDsKey: uuids]
    super.init()
    manager = CBPeripheralManager(delegate: self, queue: queue, options: options)
  }

  /// Sends a value to all subscribers.
  @discardableResult
  func push(_ value: Data, _ uuid: String) -> Bool {
    let all = services.flatMap { $0.characteristics ?? [] }
    guard let characteristic = all.first(where: { $0.uuid == .of(uuid) }) as? CBMutableCharacteristic else {
      return false
    }
    return manager.updateValue(value, for: characteristic, onSubscribedCentrals: nil)
  }

  /// A characteristic with all usual properties, whose value is answered by the app.
  static func characteristic(
    _ uuid: String, _ properties: CBCharacteristicProperties = [.read, .write, .writeWithoutResponse, .notify]
  ) -> CBMutableCharacteristic {
    var permissions: CBAttributePermissions = []
    if properties.contains(.read) { permissions.insert(.readable) }
    if !properties.isDisjoint(with: [.write, .writeWithoutResponse]) { permissions.insert(.writeable) }
    return CBMutableCharacteristic(type: .of(uuid), properties: properties, value: nil, permissions: permissions)
  }

  static func service(_ uuid: String, _ characteristics: [CBMutableCharacteristic] = []) -> CBMutableService {
    let service = CBMutableService(type: .of(uuid), primary: true)
    service.characteristics = characteristics
    return service
  }
}

extension AccessoryApp: CBPeripheralManagerDelegate {
  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    guard peripheral.state == .poweredOn else { return }
    services.forEach(peripheral.add)
    peripheral.startAdvertising(advertisement)
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) {
    asked.append("subscribed \(characteristic.uuid.uuidString)")
    centrals.append(central)
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
  ) {
    asked.append("unsubscribed \(characteristic.uuid.uuidString)")
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    asked.append("read \(request.characteristic.uuid.uuidString) \(request.offset)")
    if isMute { return }
    let value = values[request.characteristic.uuid] ?? Data()
    if verdict == .success && request.offset <= value.count {
      request.value = Data(value.dropFirst(request.offset))
      peripheral.respond(to: request, withResult: .success)
    } else {
      peripheral.respond(to: request, withResult: verdict == .success ? .invalidOffset : verdict)
    }
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    for request in requests {
      asked.append("wrote \(request.characteristic.uuid.uuidString) \((request.value ?? Data()).hexadecimal)")
    }
    if isMute { return }
    if verdict == .success {
      for request in requests {
        let old = request.offset == 0 ? Data() : values[request.characteristic.uuid] ?? Data()
        values[request.characteristic.uuid] = old.prefix(request.offset) + (request.value ?? Data())
      }
    }
    peripheral.respond(to: requests[0], withResult: verdict)
  }
}
