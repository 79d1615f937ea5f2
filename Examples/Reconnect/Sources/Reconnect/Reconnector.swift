import CoreBluetooth
import Foundation

/// Receives the state of the device.
protocol ReconnectorDelegate: AnyObject {
  /// A device came into the list, or changed its name.
  func reconnector(_ reconnector: Reconnector, didList name: String)
  func reconnectorDidEndListing(_ reconnector: Reconnector)
  func reconnector(_ reconnector: Reconnector, didStartTrying origin: Origin, name: String)
  func reconnector(_ reconnector: Reconnector, didConnect peripheral: CBPeripheral, origin: Origin)
  func reconnector(_ reconnector: Reconnector, didEnd end: EndOfConnection)
  func reconnector(_ reconnector: Reconnector, didStopTrying reason: StopReason)
  /// Bluetooth was switched off or taken away: whatever was there is gone.
  func reconnector(_ reconnector: Reconnector, bluetoothIsGone state: CBManagerState)
}

/// Keeps the connection to one device: wins it back when it was lost, also in the next run of the program, and lets it go when
/// the user says so. Everything on the main queue.
final class Reconnector: NSObject {
  weak var delegate: ReconnectorDelegate?
  private let memory: Memory
  /// Names of the devices that are worth listing begin with this.
  private let prefix: String
  /// How long one attempt may take.
  private let budget: TimeInterval
  /// How long a list is made where nothing is remembered.
  private let listingTime: TimeInterval = 4
  private var manager: CBCentralManager!

  private enum Phase {
    case idle
    case listing(Timer)
    case trying(Origin, Timer)
    case connected
  }
  private var phase = Phase.idle
  /// Listed devices, which have to be kept to be connected to.
  private var listed: [UUID: (peripheral: CBPeripheral, name: String)] = [:]
  /// The device that is wanted; kept, or its connection would end.
  private var device: CBPeripheral?

  init(memory: Memory, prefix: String, budget: TimeInterval) {
    self.memory = memory
    self.prefix = prefix
    self.budget = budget
    super.init()
    manager = CBCentralManager(delegate: self, queue: nil)
  }

  // MARK: What the user does

  /// Makes a list of devices, for four seconds.
  func list() {
    guard manager.state == .poweredOn else { return }
    if case .trying = phase { stopTrying(.givenUp) }
    if case .connected = phase { return }
    stopListing()
    let timer = Timer.scheduledTimer(withTimeInterval: listingTime, repeats: false) { [weak self] _ in
      guard let self else { return }
      self.stopListing()
      self.delegate?.reconnectorDidEndListing(self)
    }
    phase = .listing(timer)
    manager.scanForPeripherals(withServices: nil)
  }

  /// The user taps on a device of the list. False where it is not there.
  @discardableResult
  func choose(_ name: String) -> Bool {
    guard manager.state == .poweredOn, let (peripheral, _) = listed.values.first(where: { $0.name == name }) else {
      return false
    }
    leaveCurrentDevice()
    device = peripheral
    memory.device = RememberedDevice(identifier: peripheral.identifier, name: name)
    startTrying(.chosen)
    return true
  }

  /// The user ends the connection, or the attempt: the program stays away from the device until it is chosen again.
  func disconnect() {
    memory.device?.wasLeft = true
    switch phase {
    case .trying: stopTrying(.givenUp)
    case .connected: device.map { manager.cancelPeripheralConnection($0) }
    case .idle, .listing: break
    }
  }

  /// The user wants nothing to do with the device any more. Keys of a pairing belong to the system: where there are some, they
  /// are deleted in its settings.
  func forget() {
    disconnect()
    memory.device = nil
  }

  // MARK: Trying

  /// At the start, when Bluetooth comes back, and when a connection was lost.
  private func resume() {
    guard let remembered = memory.device else { return list() }
    if remembered.wasLeft { return list() }
    startTrying(.automatic)
  }

  private func startTrying(_ origin: Origin) {
    guard let remembered = memory.device else { return }
    stopListing()
    if case .trying(_, let timer) = phase { timer.invalidate() }
    let timer = Timer.scheduledTimer(withTimeInterval: budget, repeats: false) { [weak self] _ in
      self?.stopTrying(.budgetSpent)
    }
    phase = .trying(origin, timer)
    delegate?.reconnector(self, didStartTrying: origin, name: remembered.name)
    // With the object at hand, connecting needs no scan: the system waits until the device is in range.
    if let device = device ?? manager.retrievePeripherals(withIdentifiers: [remembered.identifier]).first {
      self.device = device
      manager.connect(device)
    } else {
      manager.scanForPeripherals(withServices: nil)
    }
  }

  private func stopTrying(_ reason: StopReason) {
    guard case .trying(_, let timer) = phase else { return }
    timer.invalidate()
    phase = reason == .connected ? .connected : .idle
    if manager.state == .poweredOn {
      manager.stopScan()
      if reason != .connected, let device { manager.cancelPeripheralConnection(device) }
    }
    delegate?.reconnector(self, didStopTrying: reason)
  }

  private func stopListing() {
    guard case .listing(let timer) = phase else { return }
    timer.invalidate()
    phase = .idle
    if manager.state == .poweredOn { manager.stopScan() }
  }

  private func leaveCurrentDevice() {
    stopListing()
    if case .trying = phase { stopTrying(.givenUp) }
    if case .connected = phase, let device { manager.cancelPeripheralConnection(device) }
    phase = .idle
  }
}

extension Reconnector: CBCentralManagerDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    if central.state == .poweredOn { return resume() }
    // The end of each connection is not reported: they end together with Bluetooth. Objects from before may be of no use afterwards.
    stopTrying(.bluetoothGone)
    stopListing()
    phase = .idle
    device = nil
    listed = [:]
    delegate?.reconnector(self, bluetoothIsGone: central.state)
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    let advertised = advertisementData[CBAdvertisementDataLocalNameKey] as? String
    guard let name = advertised ?? peripheral.name, name.hasPrefix(prefix) else { return }
    if listed[peripheral.identifier]?.name != name {
      listed[peripheral.identifier] = (peripheral, name)
      delegate?.reconnector(self, didList: name)
    }
    // The one that was looked for: by its identifier, or by its name where the machine does not know the identifier any more.
    guard case .trying = phase, device == nil, let wanted = memory.device,
      peripheral.identifier == wanted.identifier || name == wanted.name
    else { return }
    device = peripheral
    central.stopScan()
    central.connect(peripheral)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    guard peripheral == device, case .trying(let origin, _) = phase else {
      return central.cancelPeripheralConnection(peripheral)
    }
    let name = peripheral.name ?? memory.device?.name ?? ""
    memory.device = RememberedDevice(identifier: peripheral.identifier, name: name)
    stopTrying(.connected)
    delegate?.reconnector(self, didConnect: peripheral, origin: origin)
  }

  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: Error?) {
    guard peripheral == device, case .trying = phase else { return }
    if case .forgottenByDevice = EndOfConnection(error) { return stopTrying(.forgottenByDevice) }
    // The budget continues.
    central.connect(peripheral)
  }

  func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: Error?) {
    // Of an attempt that was given up, everything has been said.
    guard peripheral == device, case .connected = phase else { return }
    phase = .idle
    let end = EndOfConnection(error)
    delegate?.reconnector(self, didEnd: end)
    if case .lost = end { startTrying(.automatic) }
  }
}
