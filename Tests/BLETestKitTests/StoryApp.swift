import CoreBluetooth
import Synchronization

/// A remote control for lamps as in real apps: its methods may be called from any thread and dispatch to the queue of its
/// manager.
///
/// `@unchecked Sendable`: everything but `isConnected` and `acknowledged`, which are behind locks, is used on its serial
/// queue only.
final class RemoteControl: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
  static let service = CBUUID(string: "FF10")
  static let brightness = CBUUID(string: "FF11")

  private let queue: DispatchQueue
  private var manager: CBCentralManager!
  private var lamp: CBPeripheral?
  private var characteristic: CBCharacteristic?
  private let known = Mutex((isConnected: false, acknowledged: 0))

  var isConnected: Bool { known.withLock { $0.isConnected } }
  /// How many values the lamp has acknowledged.
  var acknowledged: Int { known.withLock { $0.acknowledged } }

  init(options: [String: Any]? = nil, queue: DispatchQueue = DispatchQueue(label: "remote control")) {
    self.queue = queue
    super.init()
    manager = CBCentralManager(delegate: self, queue: queue, options: options)
  }

  /// From any thread.
  func setBrightness(_ value: UInt8) {
    queue.async { self.write(value) }
  }

  /// From any thread, by a timer of Dispatch. In seconds.
  func setBrightness(_ value: UInt8, after delay: Double) {
    queue.asyncAfter(deadline: .now() + delay) { self.write(value) }
  }

  /// From any thread: the value is sent in a block that another block dispatches to the queue.
  func setBrightnessLater(_ value: UInt8) {
    queue.async {
      self.queue.async { self.write(value) }
    }
  }

  /// Other work of the app on its queue.
  func occupy(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

  func forever(_ work: Endless) { queue.async { work.turn(on: self.queue) } }

  /// On its queue.
  func stopScan() { manager.stopScan() }

  private func connect() {
    if let lamp { manager.connect(lamp) }
  }

  private func discoverCharacteristics() {
    guard let lamp, let service = lamp.services?.first else { return }
    lamp.discoverCharacteristics([Self.brightness], for: service)
  }

  private func write(_ value: UInt8) {
    guard let lamp, let characteristic else { return }
    lamp.writeValue(Data([value]), for: characteristic, type: .withResponse)
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    guard central.state == .poweredOn else { return }
    // Apps dispatch to their queue from their callbacks as well.
    queue.async { self.manager.scanForPeripherals(withServices: [Self.service]) }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    lamp = peripheral
    peripheral.delegate = self
    central.stopScan()
    queue.async { self.connect() }
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    queue.async { self.lamp?.discoverServices([Self.service]) }
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    queue.async { self.discoverCharacteristics() }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) {
    characteristic = service.characteristics?.first
    known.withLock { $0.isConnected = true }
  }

  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    if error == nil { known.withLock { $0.acknowledged += 1 } }
  }
}

/// The lamp that it controls.
///
/// `@unchecked Sendable`: used on its serial queue only, but for `values`, which is behind a lock.
final class StoryLamp: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
  private var manager: CBPeripheralManager!
  private let written = Mutex<[UInt8]>([])

  /// The values written to it, in order.
  var values: [UInt8] { written.withLock { $0 } }

  init(options: [String: Any]) {
    super.init()
    manager = CBPeripheralManager(delegate: self, queue: DispatchQueue(label: "lamp"), options: options)
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    guard peripheral.state == .poweredOn else { return }
    let service = CBMutableService(type: RemoteControl.service, primary: true)
    service.characteristics = [
      CBMutableCharacteristic(
        type: RemoteControl.brightness, properties: [.write], value: nil, permissions: [.writeable])
    ]
    peripheral.add(service)
    peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [RemoteControl.service]])
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    for request in requests { written.withLock { $0 += Array(request.value ?? Data()) } }
    if let first = requests.first { peripheral.respond(to: first, withResult: .success) }
  }
}
