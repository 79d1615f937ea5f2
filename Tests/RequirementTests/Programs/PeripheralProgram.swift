import CoreBluetooth

/// A program in the peripheral role: a peripheral manager on a queue of its own, with services and behaviour given by the
/// test.
///
/// `@unchecked Sendable`: callbacks come on the serial `queue`, and the tests look only while the world is not running.
final class PeripheralProgram: NSObject, @unchecked Sendable {
  enum Event: Equatable {
    case restored
    case state(CBManagerState)
    case added(String, CBError.Code?)
    case advertising(CBError.Code?)
    case subscribed(String)
    case unsubscribed(String)
    case read(String, Int)
    case wrote([String])
    case ready
  }

  let queue = DispatchQueue(label: "peripheral program")
  private(set) var manager: CBPeripheralManager!
  private let services: [CBMutableService]
  private let advertisement: [String: Any]?
  var events: [Event] = []
  /// The preserved state of an earlier process.
  var restored: [String: Any] = [:]
  var centrals: [CBCentral] = []
  /// Values by characteristic: reads are answered with them and writes change them.
  var values: [CBUUID: Data] = [:]
  /// Decides whether a read or a batch of writes is allowed.
  var judge: (([CBATTRequest]) -> CBATTError.Code)?
  var onSubscribe: ((CBCentral, CBCharacteristic) -> Void)?
  var onReady: (() -> Void)?
  /// Called with each read, before it is answered.
  var onRequest: ((CBATTRequest) -> Void)?
  var answersRequests = true

  init(options: [String: Any], services: [CBMutableService] = [], advertisement: [String: Any]? = nil) {
    self.services = services
    self.advertisement = advertisement
    super.init()
    manager = CBPeripheralManager(delegate: self, queue: queue, options: options)
  }

  /// The characteristic that is to be published.
  func published(_ uuid: String) -> CBMutableCharacteristic? {
    let all = services.flatMap { $0.characteristics ?? [] }
    return all.first { $0.uuid == CBUUID(string: uuid) } as? CBMutableCharacteristic
  }

  /// Advertises `name` with no service.
  static func beacon(_ name: String, options: [String: Any]) -> PeripheralProgram {
    PeripheralProgram(options: options, advertisement: [CBAdvertisementDataLocalNameKey: name])
  }
}

extension PeripheralProgram: CBPeripheralManagerDelegate {
  func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {
    events.append(.restored)
    restored = dict
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    events.append(.state(peripheral.state))
    guard peripheral.state == .poweredOn else { return }
    services.forEach(peripheral.add)
    if services.isEmpty, let advertisement { peripheral.startAdvertising(advertisement) }
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
    events.append(.added(service.uuid.uuidString, (error as? CBError)?.code))
    if service === services.last, error == nil, let advertisement { peripheral.startAdvertising(advertisement) }
  }

  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
    events.append(.advertising((error as? CBError)?.code))
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) {
    events.append(.subscribed(characteristic.uuid.uuidString))
    centrals.append(central)
    onSubscribe?(central, characteristic)
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
  ) {
    events.append(.unsubscribed(characteristic.uuid.uuidString))
    centrals.removeAll { $0 == central }
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    events.append(.read(request.characteristic.uuid.uuidString, request.offset))
    onRequest?(request)
    guard answersRequests else { return }
    let value = values[request.characteristic.uuid] ?? Data()
    let verdict = judge?([request]) ?? .success
    if verdict != .success {
      peripheral.respond(to: request, withResult: verdict)
    } else if request.offset > value.count {
      peripheral.respond(to: request, withResult: .invalidOffset)
    } else {
      request.value = value.subdata(in: request.offset..<value.count)
      peripheral.respond(to: request, withResult: .success)
    }
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    events.append(.wrote(requests.map { String(decoding: $0.value ?? Data(), as: UTF8.self) }))
    guard answersRequests else { return }
    let verdict = judge?(requests) ?? .success
    if verdict == .success {
      for request in requests {
        var value = request.offset == 0 ? Data() : values[request.characteristic.uuid] ?? Data()
        value = value.prefix(request.offset) + (request.value ?? Data())
        values[request.characteristic.uuid] = value
      }
    }
    peripheral.respond(to: requests[0], withResult: verdict)
  }

  func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
    events.append(.ready)
    onReady?()
  }
}
