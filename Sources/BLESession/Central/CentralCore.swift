import CoreBluetooth

/// What a `Central` is on its queue.
package final class CentralCore {
  let queue: DispatchQueue
  let clock: any SessionClock
  let memory: (any PeripheralMemory)?
  package let manager: CBCentralManager
  package let scanner: ScanCoordinator
  let states = Broadcast<CBManagerState>()
  /// Devices that an earlier process was connected to, or wanted to be.
  private(set) var restored: [UUID] = []
  private let listener: CentralListener
  /// What pauses between attempts are varied with.
  var chance = SystemRandomNumberGenerator()
  /// The sessions that a device's news are for.
  private var devices: [UUID: [Weak<DeviceCore>]] = [:]
  /// Sessions that want to know of the power.
  private var powered: [Weak<DeviceCore>] = []
  /// Devices that a session passed over because another one has them.
  private var passedOver: Set<UUID> = []

  package init(queue: DispatchQueue, options: [String: Any]?, clock: any SessionClock, memory: (any PeripheralMemory)?)
  {
    self.queue = queue
    self.clock = clock
    self.memory = memory
    // There from the beginning: what an earlier process left is told to the delegate that the manager is made with.
    listener = CentralListener()
    manager = CBCentralManager(delegate: listener, queue: queue, options: options)
    scanner = ScanCoordinator(manager: manager, queue: queue, clock: clock)
    listener.core = self
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
    guard devices[identifier]?.isEmpty == true else { return }
    devices[identifier] = nil
    guard passedOver.remove(identifier) != nil else { return }
    for device in powered { device.value?.lookAgain() }
  }

  /// Whether a session other than `device` has the device of that identifier: no two of one central share one.
  func isTaken(_ identifier: UUID, by others: DeviceCore) -> Bool {
    (devices[identifier] ?? []).contains { $0.value != nil && $0.value !== others }
  }

  /// A session would have taken this device: those that search look again when it is free.
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

  /// Devices with one of these services that are connected to this host, by whatever program.
  func connected(withServices services: [CBUUID]) -> [Discovery] {
    guard manager.state == .poweredOn, !services.isEmpty else { return [] }
    return manager.retrieveConnectedPeripherals(withServices: services).map { scanner.keep($0) }
  }
}

/// What the manager tells, handed on to the core; on its queue.
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

/// Something that is not kept alive from here.
package final class Weak<Object: AnyObject> {
  package weak var value: Object?
  package init(_ value: Object) { self.value = value }
}
