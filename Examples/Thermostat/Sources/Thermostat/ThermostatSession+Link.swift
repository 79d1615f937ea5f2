import CoreBluetooth
import Foundation

extension ThermostatSession {
  /// The user looks for a thermostat: those in range are reported as events.
  public func look() {
    queue.async { [self] in
      isLooking = true
      guard manager.state == .poweredOn, memory.thermostat == nil else { return }
      phase = .looking
      scan()
    }
  }

  /// The user chooses one that was found.
  public func choose(_ identifier: UUID) {
    queue.async { [self] in
      guard memory.thermostat == nil, let chosen = found[identifier] else { return }
      memory.thermostat = identifier
      isLooking = false
      guard manager.state == .poweredOn else { return }
      manager.stopScan()
      use(chosen)
      connect()
    }
  }

  func scan() { manager.scanForPeripherals(withServices: [Profile.service]) }

  func use(_ peripheral: CBPeripheral) {
    peripheral.delegate = self
    self.peripheral = peripheral
    found = [:]
  }

  func connect() {
    guard let peripheral, manager.state == .poweredOn else { return }
    phase = .connecting
    manager.connect(peripheral)
  }

  /// Something on this link went wrong that the next one may do better.
  func hangUp() {
    guard let peripheral, manager.state == .poweredOn else { return }
    manager.cancelPeripheralConnection(peripheral)
  }

  func linkBegan() {
    phase = .preparing
    onEvent(.linkBegan)
    peripheral?.discoverServices([Profile.service])
  }

  func linkEnded() {
    guard phase == .preparing || phase == .ready else { return }
    phase = .connecting
    leaveAttributes()
    onEvent(.linkEnded)
  }

  /// The attributes cannot be used any more, and what was under way with them is over.
  func leaveAttributes() {
    forgetAttributes()
    missingSubscriptions = []
    stopTimeOut()
    returnCurrent()
    stopUpdate()
  }

  func subscribe() {
    missingSubscriptions = subscriptions()
    for uuid in missingSubscriptions.sorted(by: { $0.uuidString < $1.uuidString }) {
      guard let characteristic = attributes[uuid] else { return hangUp() }
      peripheral?.setNotifyValue(true, for: characteristic)
    }
    becomeReadyIfSubscribed()
  }

  func becomeReadyIfSubscribed() {
    guard phase == .preparing, missingSubscriptions.isEmpty else { return }
    phase = .ready
    // What has changed while there was no link.
    for uuid in [Profile.temperature, Profile.target] { attributes[uuid].map { peripheral?.readValue(for: $0) } }
    sendNext()
    beginUpdate()
  }
}

extension ThermostatSession: CBCentralManagerDelegate {
  public func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) { restore(dict) }

  public func centralManagerDidUpdateState(_ central: CBCentralManager) {
    guard central.state == .poweredOn else {
      linkEnded()
      // After anything but `poweredOff` the system's objects are invalid.
      if central.state != .poweredOff { peripheral = nil }
      found = [:]
      phase = .unavailable
      return
    }
    if let peripheral {
      if peripheral.state == .connected { linkBegan() } else { connect() }
    } else if let identifier = memory.thermostat {
      phase = .connecting
      findAgain(identifier)
    } else {
      phase = isLooking ? .looking : .idle
      if isLooking { scan() }
    }
  }

  public func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    if memory.thermostat == nil {
      found[peripheral.identifier] = peripheral
      let name = advertisementData[CBAdvertisementDataLocalNameKey] as? String ?? peripheral.name ?? ""
      onEvent(.found(peripheral.identifier, name: name))
    } else if self.peripheral == nil, isWanted(peripheral) {
      central.stopScan()
      use(peripheral)
      connect()
    }
  }

  public func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    guard peripheral === self.peripheral else { return central.cancelPeripheralConnection(peripheral) }
    linkBegan()
  }

  public func centralManager(
    _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
  ) {
    if peripheral === self.peripheral { connectAgain() }
  }

  public func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {
    guard peripheral === self.peripheral else { return }
    linkEnded()
    connectAgain()
  }
}
