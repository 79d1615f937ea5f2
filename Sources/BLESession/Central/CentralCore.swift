import CoreBluetooth

/// The state of a `Central`, used on its queue only.
package final class CentralCore {
  let queue: DispatchQueue
  let clock: any SessionClock
  let memory: (any PeripheralMemory)?
  package let manager: CBCentralManager
  package let scanner: ScanCoordinator
  let states = Broadcast<CBManagerState>()
  /// Devices that an earlier process was connected or connecting to.
  private(set) var restored: [UUID] = []
  private let listener: CentralListener
  /// The source of the jitter between connection attempts.
  var chance = SystemRandomNumberGenerator()
  /// The sessions that receive the callbacks of a device, by its identifier.
  private var devices: [UUID: [Weak<DeviceCore>]] = [:]
  /// Sessions that are notified when the manager's state changes.
  private var powered: [Weak<DeviceCore>] = []
  /// Devices that a session skipped because another session has them.
  private var passedOver: Set<UUID> = []

  package init(queue: DispatchQueue, options: [String: Any]?, clock: any SessionClock, memory: (any PeripheralMemory)?)
  {
    self.queue = queue
    self.clock = clock
    self.memory = memory
    // Exists before the manager does: `willRestoreState` is sent to the delegate that the manager is created with.
    listener = CentralListener()
    manager = CBCentralManager(delegate: listener, queue: queue, options: options)
    scanner = ScanCoordinator(manager: manager, queue: queue, clock: clock)
    listener.core = self
  }

  /// The `CBPeripheral` of a device that was discovered by a scan or is known to the system.
  func peripheral(_ identifier: UUID) -> CBPeripheral? {
    if let heard = scanner.peripheral(identifier) { return heard }
    guard manager.state == .poweredOn else { return nil }
    return manager.retrievePeripherals(withIdentifiers: [identifier]).first
  }

  func watchPower(_ device: DeviceCore) {
    powered.removeAll { $0.value == nil || $0.value === device }
    powered.append(Weak(device))
  }

  /// From now on `device` receives the callbacks for the peripheral with that identifier.
  func attach(_ device: DeviceCore, to identifier: UUID) {
    detach(device, from: identifier)
    devices[identifier, default: []].append(Weak(device))
  }

  func detach(_ device: DeviceCore, from identifier: UUID) {
    devices[identifier]?.removeAll { $0.value == nil || $0.value === device }
    guard devices[identifier]?.isEmpty == true else { return }
    devices[identifier] = nil
    guard passedOver.remove(identifier) != nil else { return }
    for device in powered { device.value?.searchAgain() }
  }

  /// Whether a session other than `device` has the device with that identifier: two sessions of a central never share one.
  func isTaken(_ identifier: UUID, by others: DeviceCore) -> Bool {
    (devices[identifier] ?? []).contains { $0.value != nil && $0.value !== others }
  }

  /// Records that a session skipped this device, so that sessions which search look again when it is free.
  func passOver(_ identifier: UUID) { passedOver.insert(identifier) }

  func each(_ peripheral: CBPeripheral, _ body: (DeviceCore) -> Void) {
    for device in devices[peripheral.identifier] ?? [] { device.value.map(body) }
  }

  func stateChanged() {
    states.send(manager.state)
    scanner.stateChanged()
    for device in powered { device.value?.powerChanged(manager.state) }
  }

  func restore(_ peripherals: [CBPeripheral]) {
    restored = peripherals.map(\.identifier)
    for peripheral in peripherals { scanner.keep(peripheral) }
  }

  /// Devices with one of these services that are connected to this host, by any program.
  func connected(withServices services: [CBUUID]) -> [Discovery] {
    guard manager.state == .poweredOn, !services.isEmpty else { return [] }
    return manager.retrieveConnectedPeripherals(withServices: services).map { scanner.keep($0) }
  }
}

/// Forwards the manager's delegate callbacks to the core, on its queue.
private final class CentralListener: NSObject, CBCentralManagerDelegate {
  weak var core: CentralCore?

  func centralManagerDidUpdateState(_ central: CBCentralManager) { core?.stateChanged() }

  func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
    core?.restore(dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral] ?? [])
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    core?.scanner.discovered(peripheral, advertisementData, rssi: RSSI.intValue)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    core?.each(peripheral) { $0.didConnect(peripheral) }
  }

  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
    core?.each(peripheral) { $0.didFailToConnect(peripheral, error) }
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {
    core?.each(peripheral) { $0.didDisconnect(peripheral, error) }
  }
}

/// A weak reference.
package final class Weak<Object: AnyObject> {
  package weak var value: Object?
  package init(_ value: Object) { self.value = value }
}
