import CoreBluetooth

extension DeviceCore {
  /// Whether an operation may be queued: the session is ready or connecting.
  var isReadyOrConnecting: Bool { state == .ready || effort != nil }

  package func perform(_ kind: Operation.Kind) {
    let operation = Operation(kind)
    guard isReadyOrConnecting else {
      return operation.fail(SessionError(.notConnected, "there is no connection to the device"))
    }
    operations.add(operation)
  }

  func readSignal(_ reply: Reply<Int>) {
    guard isReadyOrConnecting else {
      return reply.fail(SessionError(.notConnected, "there is no connection to the device"))
    }
    signal.add(reply)
  }

  /// Adds a listener; notifications are enabled now, or when the session is ready.
  package func subscribe(
    _ path: CharacteristicPath, tell: @escaping (Data) -> Void, finish: @escaping () -> Void
  ) -> Int {
    let number = subscriptions.add(path, tell: tell, finish: finish)
    if state == .ready, preparation == nil { switchOn(path, isUrgent: false) { _ in } }
    return number
  }

  /// Adds a listener if the device agrees to notify.
  func subscribe(_ path: CharacteristicPath, tell: @escaping (Data) -> Void, _ reply: Reply<Int>) {
    whenPrepared { [self] in
      guard state == .ready else {
        return reply.fail(SessionError(.notConnected, "there is no connection to the device"))
      }
      let number = subscriptions.add(path, tell: tell, finish: {})
      reply.onCancel = { [weak self] in self?.unsubscribe(number) }
      switchOn(path, isUrgent: false) { [weak self] error in
        guard let error else { return reply.succeed(number) }
        _ = self?.subscriptions.remove(number)
        reply.fail(error)
      }
    }
  }

  package func unsubscribe(_ number: Int) {
    guard let path = subscriptions.remove(number), state == .ready, preparation == nil else { return }
    switchOffIfUnwanted(path)
  }

  private func switchOffIfUnwanted(_ path: CharacteristicPath) {
    guard subscriptions.active.contains(path), !subscriptions.isWanted(path),
      !configuration.opening.contains(where: { $0.answerPath == path })
    else { return }
    subscriptions.setActive(path, false)
    operations.add(Operation(.notify(path, false, Reply())))
  }

  /// Applies the listeners that were added and removed while the session was not ready.
  func settleSubscriptions() {
    for path in subscriptions.wanted.subtracting(subscriptions.active).subtracting(subscriptions.refused).ordered {
      switchOn(path, isUrgent: false) { _ in }
    }
    for path in subscriptions.active.ordered { switchOffIfUnwanted(path) }
  }

  private func switchOn(_ path: CharacteristicPath, isUrgent: Bool, _ done: @escaping (SessionError?) -> Void) {
    if subscriptions.active.contains(path) { return done(nil) }
    let reply = Reply<Void>()
    reply.whenFailed = { [weak self] error in
      if let self, isConnected, error.code != .connectionLost {
        subscriptions.refused.insert(path)
        emit(.subscriptionFailed(path, error))
      }
      done(error)
    }
    reply.whenSucceeded = { [weak self] _ in
      self?.subscriptions.setActive(path, true)
      // The last listener may have been removed meanwhile.
      if self?.state == .ready, self?.preparation == nil { self?.switchOffIfUnwanted(path) }
      done(nil)
    }
    operations.add(Operation(.notify(path, true, reply)), isUrgent: isUrgent)
  }

  /// Enables all subscriptions. A failure is reported as an event and does not keep the session from becoming ready.
  func restoreSubscriptions(_ done: @escaping () -> Void) {
    subscriptions.linkEnded()
    var left = subscriptions.wanted.ordered
    func next() {
      guard !left.isEmpty else { return done() }
      switchOn(left.removeFirst(), isUrgent: true) { [weak self] error in
        // If the link is lost, `linkEnded` ends the preparation.
        if error == nil || self?.isConnected == true { next() }
      }
    }
    next()
  }

  func subscribeForOpening(_ path: CharacteristicPath, _ done: @escaping (SessionError?) -> Void) {
    switchOn(path, isUrgent: true, done)
  }

  package func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    guard peripheral === self.peripheral else { return }
    let wasRead = operations.didUpdateValue(characteristic, error)
    guard error == nil, let value = characteristic.value, !wasRead || characteristic.isNotifying else { return }
    if opening != nil { openingReceived(value, on: characteristic) }
    subscriptions.deliver(value, from: characteristic, of: peripheral)
  }

  package func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    if peripheral === self.peripheral { operations.didWrite(characteristic, error) }
  }

  package func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    if peripheral === self.peripheral { operations.didUpdateNotificationState(characteristic, error) }
  }

  package func peripheral(
    _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?
  ) {
    if peripheral === self.peripheral { operations.didDiscoverIncludedServices(service, error) }
  }

  package func peripheral(
    _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    if peripheral === self.peripheral { operations.didDiscoverDescriptors(characteristic, error) }
  }

  package func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?) {
    if peripheral === self.peripheral { operations.didReadDescriptor(descriptor, error) }
  }

  package func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?) {
    if peripheral === self.peripheral { operations.didWriteDescriptor(descriptor, error) }
  }

  package func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
    if peripheral === self.peripheral { operations.didOpen(channel, error) }
  }

  package func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
    if peripheral === self.peripheral { signal.didRead(RSSI.intValue, error) }
  }

  package func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
    if peripheral === self.peripheral { operations.isReadyToSend() }
  }
}
