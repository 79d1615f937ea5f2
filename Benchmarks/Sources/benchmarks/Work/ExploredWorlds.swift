import BLETestKit
import CoreBluetooth
import Testing

/// Worlds of an exploration: an app that stays subscribed to a sensor through what is drawn for each world. Each world is made,
/// runs for two to four minutes of its time, and is released.
struct ExploredWorlds: Work {
  func run(_ operations: Int) async throws -> Done {
    let time = try await World.explore(seeds: operations) { world in
      let sensor = world.makeDevice("sensor"), phone = world.makeDevice("phone")
      let clock = world.clock
      let program = world.launch(on: sensor) { SensorProgram(options: $0, clock: clock) }
      let app = world.launch(on: phone) { SubscribingProgram(options: $0) }
      world.eventually("the app is subscribed", within: .seconds(60)) {
        app.current.isSubscribed && program.current.isWatched
      }
      await world.advancePastEvents()
    }.time
    return Done(operations: operations, worldSeconds: Double(time.components.seconds))
  }
}

/// Notifies a value every ten seconds.
///
/// `@unchecked Sendable`: callbacks come on its serial queue; the benchmarks look only while the world stands still.
private final class SensorProgram: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
  static let service = CBUUID(string: "181A")
  private let queue = DispatchQueue(label: "sensor")
  private let clock: WorldClock
  private var manager: CBPeripheralManager?
  private var subscribers: Set<UUID> = []
  private let value = CBMutableCharacteristic(
    type: CBUUID(string: "2A6E"), properties: .notify, value: nil, permissions: [])
  var isWatched: Bool { !subscribers.isEmpty }

  init(options: [String: Any], clock: WorldClock) {
    self.clock = clock
    super.init()
    queue.sync { manager = CBPeripheralManager(delegate: self, queue: queue, options: options) }
    measure()
  }

  private func measure() {
    _ = clock.schedule(after: .seconds(10), on: queue) { [weak self] in
      guard let self else { return }
      if isWatched { _ = manager?.updateValue(Data(count: 2), for: value, onSubscribedCentrals: nil) }
      measure()
    }
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    subscribers = []
    guard peripheral.state == .poweredOn else { return }
    let service = CBMutableService(type: Self.service, primary: true)
    service.characteristics = [value]
    peripheral.removeAllServices()
    peripheral.add(service)
    peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [Self.service]])
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) {
    subscribers.insert(central.identifier)
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
  ) {
    subscribers.remove(central.identifier)
  }
}

/// An app that stays subscribed.
///
/// `@unchecked Sendable`: callbacks come on its serial queue; the benchmarks look only while the world stands still.
private final class SubscribingProgram: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
  private let queue = DispatchQueue(label: "app")
  private var manager: CBCentralManager?
  private var sensor: CBPeripheral?
  private(set) var isSubscribed = false

  init(options: [String: Any]) {
    super.init()
    queue.sync { manager = CBCentralManager(delegate: self, queue: queue, options: options) }
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    isSubscribed = false
    if central.state == .poweredOn { central.scanForPeripherals(withServices: [SensorProgram.service]) }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi: NSNumber
  ) {
    central.stopScan()
    sensor = peripheral
    peripheral.delegate = self
    central.connect(peripheral)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    peripheral.discoverServices([SensorProgram.service])
  }

  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
    central.connect(peripheral)
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {
    isSubscribed = false
    central.connect(peripheral)
  }

  func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
    isSubscribed = false
    peripheral.discoverServices([SensorProgram.service])
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    guard error == nil, let service = peripheral.services?.first else { return hangUp(peripheral) }
    peripheral.discoverCharacteristics(nil, for: service)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) {
    guard error == nil, let value = service.characteristics?.first else { return hangUp(peripheral) }
    peripheral.setNotifyValue(true, for: value)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    isSubscribed = error == nil && characteristic.isNotifying
    if !isSubscribed { hangUp(peripheral) }
  }

  private func hangUp(_ peripheral: CBPeripheral) {
    if manager?.state == .poweredOn { manager?.cancelPeripheralConnection(peripheral) }
  }
}
