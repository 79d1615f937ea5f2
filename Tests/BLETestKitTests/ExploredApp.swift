import CoreBluetooth
import Synchronization

/// An app that stays subscribed to a lamp's state, with mistakes that explorations have to find.
///
/// `@unchecked Sendable`: used on its serial queue only, and looked at while the world's clock stands still.
final class ExploredApp: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
  enum Mistake {
    /// When Bluetooth is on again, it believes that it is still looking for its lamp.
    case staysAwayAfterBluetoothWasOff
    /// It subscribes on its first link only.
    case subscribesOnce
    /// It gives up after a link that was lost.
    case givesUp
    /// It scans without naming a service.
    case scansForEverything
  }

  /// What it stores, for its later processes.
  final class Store: Sendable {
    let hasSubscribed = Mutex(false)
  }

  private var manager: CBCentralManager?
  private var lamp: CBPeripheral?
  private let mistake: Mistake?
  private let store: Store
  private var hasStarted = false
  private(set) var isSubscribed = false

  init(options: [String: Any], mistake: Mistake? = nil, store: Store = Store()) {
    self.mistake = mistake
    self.store = store
    super.init()
    manager = CBCentralManager(delegate: self, queue: DispatchQueue(label: "explored app"), options: options)
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    guard central.state == .poweredOn else { return isSubscribed = false }
    if mistake == .staysAwayAfterBluetoothWasOff, hasStarted { return }
    hasStarted = true
    central.scanForPeripherals(withServices: mistake == .scansForEverything ? nil : [ExploredLamp.service])
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    central.stopScan()
    lamp = peripheral
    peripheral.delegate = self
    central.connect(peripheral)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    peripheral.discoverServices([ExploredLamp.service])
  }

  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
    connectAgain(central, peripheral)
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {
    isSubscribed = false
    if mistake != .givesUp { connectAgain(central, peripheral) }
  }

  func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
    isSubscribed = false
    peripheral.discoverServices([ExploredLamp.service])
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    guard let service = peripheral.services?.first, error == nil else { return hangUp(peripheral) }
    peripheral.discoverCharacteristics([ExploredLamp.state], for: service)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) {
    guard let state = service.characteristics?.first, error == nil else { return hangUp(peripheral) }
    let hasSubscribed = store.hasSubscribed.withLock { stored in
      defer { stored = true }
      return stored
    }
    if mistake == .subscribesOnce, hasSubscribed { return }
    peripheral.setNotifyValue(true, for: state)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    guard characteristic.isNotifying, error == nil else { return hangUp(peripheral) }
    isSubscribed = true
  }

  private func hangUp(_ peripheral: CBPeripheral) {
    guard let manager, manager.state == .poweredOn, peripheral.state == .connected else { return }
    manager.cancelPeripheralConnection(peripheral)
  }

  private func connectAgain(_ central: CBCentralManager, _ peripheral: CBPeripheral) {
    if central.state == .poweredOn { central.connect(peripheral) }
  }
}

/// The lamp.
///
/// `@unchecked Sendable`: used on its serial queue only.
final class ExploredLamp: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
  static let service = CBUUID(string: "FF20")
  static let state = CBUUID(string: "FF21")
  private var manager: CBPeripheralManager?
  private let isSecret: Bool

  /// - Parameter isSecret: whether its state is for devices that have paired.
  init(options: [String: Any], isSecret: Bool = false) {
    self.isSecret = isSecret
    super.init()
    manager = CBPeripheralManager(delegate: self, queue: DispatchQueue(label: "explored lamp"), options: options)
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    guard peripheral.state == .poweredOn else { return }
    let service = CBMutableService(type: Self.service, primary: true)
    service.characteristics = [
      CBMutableCharacteristic(
        type: Self.state, properties: isSecret ? .notifyEncryptionRequired : .notify, value: nil, permissions: [])
    ]
    peripheral.removeAllServices()
    peripheral.add(service)
    peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [Self.service]])
  }
}
