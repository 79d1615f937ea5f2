import CoreBluetooth

extension DeviceCore {
  /// Whether an operation may wait for the device: it is there, or being won.
  var isHopeful: Bool { state == .ready || campaign != nil }

  func perform(_ kind: Operation.Kind) {
    let operation = Operation(kind)
    guard isHopeful else {
      return operation.fail(SessionError(.notConnected, "there is no connection to the device"))
    }
    operations.add(operation)
  }

  /// Begins to listen; the notification is switched on now, or when the device is there.
  func subscribe(
    _ path: CharacteristicPath, tell: @escaping (Data) -> Void, finish: @escaping () -> Void
  ) -> Int {
    let number = subscriptions.add(path, tell: tell, finish: finish)
    if state == .ready, preparation == nil { switchOn(path, isUrgent: false) { _ in } }
    return number
  }

  func unsubscribe(_ number: Int) {
    guard let path = subscriptions.remove(number), !subscriptions.isWanted(path), state == .ready,
      subscriptions.active.contains(path)
    else { return }
    subscriptions.setActive(path, false)
    operations.add(Operation(.notify(path, false, Reply())))
  }

  private func switchOn(_ path: CharacteristicPath, isUrgent: Bool, _ done: @escaping (SessionError?) -> Void) {
    if subscriptions.active.contains(path) { return done(nil) }
    let reply = Reply<Void>()
    reply.whenFailed = { [weak self] error in
      if self?.isConnected == true { self?.emit(.subscriptionFailed(path, error)) }
      done(error)
    }
    reply.whenSucceeded = { [weak self] _ in
      self?.subscriptions.setActive(path, true)
      done(nil)
    }
    operations.add(Operation(.notify(path, true, reply)), isUrgent: isUrgent)
  }

  /// Switches on all that the application listens to. What fails is told and does not keep the session from being ready.
  func restoreSubscriptions(_ done: @escaping () -> Void) {
    subscriptions.linkEnded()
    var left = subscriptions.wanted.sorted { $0.description < $1.description }
    func next() {
      guard !left.isEmpty else { return done() }
      switchOn(left.removeFirst(), isUrgent: true) { [weak self] error in
        // A link that is gone has its own end.
        if error == nil || self?.isConnected == true { next() }
      }
    }
    next()
  }

  func subscribeForOpening(_ path: CharacteristicPath, _ done: @escaping (SessionError?) -> Void) {
    switchOn(path, isUrgent: true, done)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    guard peripheral === self.peripheral else { return }
    let wasRead = operations.didUpdateValue(characteristic, error)
    guard error == nil, let value = characteristic.value, !wasRead || characteristic.isNotifying else { return }
    if opening != nil { openingHears(value, on: characteristic) }
    subscriptions.deliver(value, from: characteristic, of: peripheral)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    if peripheral === self.peripheral { operations.didWrite(characteristic, error) }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    if peripheral === self.peripheral { operations.didUpdateNotificationState(characteristic, error) }
  }

  func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
    if peripheral === self.peripheral { operations.didReadRSSI(RSSI.intValue, error) }
  }

  func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
    if peripheral === self.peripheral { operations.isReadyToSend() }
  }
}
