import CoreBluetooth

extension PeripheralApp: CBPeripheralManagerDelegate {
  public func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {
    restored = dict
    record(.restored, "restored")
  }

  public func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    // Subscriptions end with the power, without a call.
    if peripheral.state != .poweredOn { (centrals, subscriptions) = ([], []) }
    record(.state(peripheral.state), "state", "\(peripheral.state.rawValue)")
    guard peripheral.state == .poweredOn else { return }
    services.forEach(peripheral.add)
    if services.isEmpty, let advertisement { peripheral.startAdvertising(advertisement) }
  }

  public func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
    let uuid = service.uuid.uuidString
    record(.added(uuid, (error as? CBError)?.code), "added", uuid, error)
    if service === services.last, error == nil, let advertisement { peripheral.startAdvertising(advertisement) }
  }

  public func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
    record(.advertising((error as? CBError)?.code), "advertising", nil, error)
  }

  public func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) {
    if keepsRecord { subscribers.append(central) }
    centrals.append(central)
    subscriptions.append(characteristic.uuid.uuidString)
    record(.subscribed(characteristic.uuid.uuidString), "subscribed", characteristic.uuid.uuidString)
    onSubscription?(central, characteristic)
  }

  public func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
  ) {
    if let index = centrals.firstIndex(of: central) { centrals.remove(at: index) }
    if let index = subscriptions.firstIndex(of: characteristic.uuid.uuidString) { subscriptions.remove(at: index) }
    record(.unsubscribed(characteristic.uuid.uuidString), "unsubscribed", characteristic.uuid.uuidString)
    onSubscription?(central, characteristic)
  }

  public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    let uuid = request.characteristic.uuid
    record(.read(uuid.uuidString, request.offset), "read", "\(uuid.uuidString) at \(request.offset)")
    if let onRead { return onRead(peripheral, request) }
    if answersRequests { answer(request) } else { waiting.append(request) }
  }

  public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    if keepsRecord { batches.append(requests) }
    let texts = requests.map { String(decoding: $0.value ?? Data(), as: UTF8.self) }
    record(.wrote(texts), "wrote", "\(requests.count) to \(requests[0].characteristic.uuid.uuidString)")
    if let onWrite { return onWrite(peripheral, requests) }
    guard answersRequests else { return waiting.append(requests[0]) }
    let verdict = judge?(requests) ?? .success
    if verdict == .success {
      for request in requests {
        let before = request.offset == 0 ? Data() : values[request.characteristic.uuid] ?? Data()
        values[request.characteristic.uuid] = before.prefix(request.offset) + (request.value ?? Data())
      }
    }
    peripheral.respond(to: requests[0], withResult: verdict)
  }

  public func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { record(.ready, "ready") }

  public func peripheralManager(
    _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
  ) {
    if error == nil { multiplexers.append(PSM) }
    record(.published(PSM, (error as? CBError)?.code), "published", nil, error)
  }

  public func peripheralManager(
    _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
  ) {
    multiplexers.removeAll { $0 == PSM }
    record(.unpublished(PSM, (error as? CBError)?.code), "unpublished", nil, error)
  }

  public func peripheralManager(
    _ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?
  ) {
    if let channel { channels.append(channel) }
    record(.opened((error as? CBError)?.code), "opened", nil, error)
  }
}
