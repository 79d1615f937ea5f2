import CoreBluetooth

extension CentralApp: CBCentralManagerDelegate {
  public func centralManagerDidUpdateState(_ central: CBCentralManager) {
    record(.state(central.state), "state", "\(central.state.rawValue)")
    scanIfPoweredOn()
    searchIsDue(in: central.state)
  }

  public func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
    restored = dict
    let peripherals = dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral] ?? []
    for peripheral in peripherals { peripheral.delegate = self }
    kept += peripherals
    record(.restored, "restored")
  }

  public func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    let sighting = Sighting(peripheral: peripheral, data: advertisementData, rssi: RSSI)
    sightings.append(sighting)
    onSighting?(sighting)
    take(sighting)
  }

  public func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    peripheral.delegate = self
    standings.append(peripheral.state)
    record(.connected(peripheral.name), "connected", peripheral.name)
    if let search, search.depth != .nothing, peripheral === self.peripheral { walk() }
  }

  public func centralManager(
    _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
  ) {
    standings.append(peripheral.state)
    record(.failedToConnect(peripheral.name, (error as? CBError)?.code), "failed", peripheral.name, error)
  }

  public func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {
    standings.append(peripheral.state)
    if openSteps > 0 { (openSteps, isWalkSound, isDone) = (0, false, true) }
    record(.disconnected(peripheral.name, (error as? CBError)?.code), "disconnected", peripheral.name, error)
  }

  public func centralManager(
    _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
  ) {
    connectionEvents.append((event, peripheral))
    record(.connectionEvent(event, peripheral.name), "event", "\(event.rawValue) \(peripheral.name ?? "-")")
  }
}

extension CentralApp: CBPeripheralDelegate {
  public func peripheralDidUpdateName(_ peripheral: CBPeripheral) {
    record(.name(peripheral.name), "name", peripheral.name)
  }

  public func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
    let uuids = invalidatedServices.map(\.uuid.uuidString)
    invalidated += invalidatedServices
    record(.modified(uuids), "modified", uuids.joined(separator: " "))
  }

  public func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
    record(error.map { .rssiError($0.number) } ?? .rssi(RSSI.intValue), "rssi", "\(RSSI)", error)
  }

  public func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    if step(error, next: walkServices) { return }
    record(.services(peripheral.services?.count ?? -1, error?.localizedDescription), "services", nil, error)
  }

  public func peripheral(
    _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?
  ) {
    if step(error) { return }
    let uuid = service.uuid.uuidString
    record(.included(uuid, error?.localizedDescription), "included", uuid, error)
  }

  public func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) {
    if step(error, next: { walkCharacteristics(of: service) }) { return }
    let uuid = service.uuid.uuidString
    record(.characteristics(uuid, error?.localizedDescription), "characteristics", uuid, error)
  }

  public func peripheral(
    _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    if step(error) { return }
    let uuid = characteristic.uuid.uuidString
    record(.descriptors(uuid, error?.localizedDescription), "descriptors", uuid, error)
  }

  public func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    let uuid = characteristic.uuid.uuidString
    if let error { return record(.valueError(uuid, error.number), "value", uuid, error) }
    let value = characteristic.value ?? Data()
    values.append(value)
    record(.value(uuid, String(decoding: value, as: UTF8.self)), "value", "\(uuid) \(value.hexadecimal)")
  }

  public func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?) {
    record(.descriptorValue(descriptor.uuid.uuidString), "descriptor", descriptor.uuid.uuidString, error)
  }

  public func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    let uuid = characteristic.uuid.uuidString
    record(.written(uuid, error?.number ?? 0), "wrote", uuid, error)
  }

  public func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?) {
    let uuid = descriptor.uuid.uuidString
    record(.descriptorWritten(uuid, error?.number ?? 0), "wrote descriptor", uuid, error)
  }

  public func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    let (uuid, isNotifying) = (characteristic.uuid.uuidString, characteristic.isNotifying)
    record(.notifying(uuid, isNotifying, error?.number ?? 0), "notifying", "\(uuid) \(isNotifying)", error)
  }

  public func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
    if let channel { channels.append(channel) }
    record(.opened(error?.number ?? 0), "opened", nil, error)
  }

  public func peripheral(_ peripheral: CBPeripheral, didCompleteChannelSoundingSession error: (any Error)?) {
    record(.sounded(error?.number ?? 0), "sounded", nil, error)
  }

  public func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) { record(.ready, "ready") }
}
