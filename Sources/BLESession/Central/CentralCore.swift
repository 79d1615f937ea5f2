import CoreBluetooth

/// What a `Central` is on its queue.
final class CentralCore: NSObject, CBCentralManagerDelegate {
  let queue: DispatchQueue
  let clock: any SessionClock
  let memory: (any PeripheralMemory)?
  let manager: CBCentralManager
  let scanner: ScanCoordinator
  let states = Broadcast<CBManagerState>()
  /// What pauses between attempts are varied with.
  var chance = SystemRandomNumberGenerator()
  /// The sessions that a device's news are for.
  private var devices: [UUID: [Weak<DeviceCore>]] = [:]
  /// Sessions that want to know of the power.
  private var powered: [Weak<DeviceCore>] = []

  init(queue: DispatchQueue, options: [String: Any]?, clock: any SessionClock, memory: (any PeripheralMemory)?) {
    self.queue = queue
    self.clock = clock
    self.memory = memory
    manager = CBCentralManager(delegate: nil, queue: queue, options: options)
    scanner = ScanCoordinator(manager: manager, clock: clock)
    super.init()
    manager.delegate = self
  }

  /// The system's object for a device: one that was heard, or one the system remembers.
  func peripheral(_ identifier: UUID) -> CBPeripheral? {
    if let heard = scanner.peripheral(identifier) { return heard }
    guard manager.state == .poweredOn else { return nil }
    return manager.retrievePeripherals(withIdentifiers: [identifier]).first
  }

  func watchPower(_ device: DeviceCore) {
    powered.removeAll { $0.value == nil || $0.value === device }
    powered.append(Weak(device))
  }

  /// From now on `device` hears what happens to the device of that identifier.
  func attach(_ device: DeviceCore, to identifier: UUID) {
    detach(device, from: identifier)
    devices[identifier, default: []].append(Weak(device))
  }

  func detach(_ device: DeviceCore, from identifier: UUID) {
    devices[identifier]?.removeAll { $0.value == nil || $0.value === device }
    if devices[identifier]?.isEmpty == true { devices[identifier] = nil }
  }

  private func each(_ peripheral: CBPeripheral, _ body: (DeviceCore) -> Void) {
    for device in devices[peripheral.identifier] ?? [] { device.value.map(body) }
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    states.send(central.state)
    scanner.stateChanged()
    for device in powered { device.value?.powerChanged(central.state) }
  }

  func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
    let restored = dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral] ?? []
    for peripheral in restored { scanner.keep(peripheral) }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    scanner.discovered(peripheral, advertisementData, rssi: RSSI.intValue)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    each(peripheral) { $0.didConnect(peripheral) }
  }

  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
    each(peripheral) { $0.didFailToConnect(peripheral, error) }
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {
    each(peripheral) { $0.didDisconnect(peripheral, error) }
  }
}

/// Something that is not kept alive from here.
final class Weak<Object: AnyObject> {
  weak var value: Object?
  init(_ value: Object) { self.value = value }
}
