import CoreBluetooth

/// An app that works by itself, as most do: it looks for one peripheral, connects to it, and walks through its database on each connection.
extension CentralApp {
  /// How far a walk goes; without one the app only connects.
  public enum Depth {
    case nothing, characteristics
    /// Included services too.
    case descriptors
  }

  /// Looks for the peripheral whose advertisement has this name from now on, and each time that Bluetooth has been reset. A step of the
  /// walk is recorded only if it fails.
  /// - Parameter name: `nil` for whichever is seen first.
  public func seek(_ name: String?, discovering depth: Depth = .characteristics) {
    search = (name, depth)
    searchIsDue(in: manager.state)
  }

  /// Forgets the peripheral that was found, and looks for it again.
  public func seekAgain() {
    peripheral = nil
    searchIsDue(in: manager.state)
  }

  /// Whether the last walk has found everything.
  public var isWalked: Bool { isDone && isWalkSound }

  /// Begins a walk.
  public func walk() {
    (openSteps, isWalkSound, isDone) = (1, true, false)
    peripheral?.discoverServices(nil)
  }

  public func connect() {
    guard let peripheral else { return }
    (isWalkSound, isDone) = (false, false)
    manager.connect(peripheral)
  }

  public func disconnect() {
    if let peripheral { manager.cancelPeripheralConnection(peripheral) }
  }

  /// A characteristic of the peripheral that was found.
  public func characteristic(_ uuid: String) -> CBCharacteristic? {
    peripheral.flatMap { characteristic(uuid, of: $0) }
  }

  public func read(_ uuid: String) {
    if let characteristic = characteristic(uuid) { peripheral?.readValue(for: characteristic) }
  }

  public func write(_ value: Data, to uuid: String, type: CBCharacteristicWriteType = .withResponse) {
    if let characteristic = characteristic(uuid) { peripheral?.writeValue(value, for: characteristic, type: type) }
  }

  public func notify(_ isOn: Bool, _ uuid: String) {
    if let characteristic = characteristic(uuid) { peripheral?.setNotifyValue(isOn, for: characteristic) }
  }

  func searchIsDue(in state: CBManagerState) {
    guard search != nil else { return }
    // After a reset it begins from the beginning.
    if state == .resetting { (peripheral, openSteps, isWalkSound, isDone) = (nil, 0, false, false) }
    if state == .poweredOn, peripheral == nil { manager.scanForPeripherals(withServices: nil) }
  }

  func take(_ sighting: Sighting) {
    guard let search, peripheral == nil, search.name == nil || sighting.name == search.name else { return }
    peripheral = sighting.peripheral
    sighting.peripheral.delegate = self
    manager.stopScan()
    manager.connect(sighting.peripheral)
  }

  /// Takes the answer to a step of a walk, and the further steps that it leads to, which `next` counts.
  /// - Returns: whether it was one and went well.
  func step(_ error: (any Error)?, next: () -> Int = { 0 }) -> Bool {
    guard openSteps > 0 else { return false }
    openSteps -= 1
    if error == nil { openSteps += next() } else { isWalkSound = false }
    isDone = openSteps == 0
    if isWalked { onWalked?() }
    return error == nil
  }

  func walkServices() -> Int {
    guard let depth = search?.depth, let peripheral else { return 0 }
    for service in peripheral.services ?? [] {
      if depth == .descriptors { peripheral.discoverIncludedServices(nil, for: service) }
      peripheral.discoverCharacteristics(nil, for: service)
    }
    return (peripheral.services?.count ?? 0) * (depth == .descriptors ? 2 : 1)
  }

  func walkCharacteristics(of service: CBService) -> Int {
    guard search?.depth == .descriptors else { return 0 }
    for characteristic in service.characteristics ?? [] { peripheral?.discoverDescriptors(for: characteristic) }
    return service.characteristics?.count ?? 0
  }
}
