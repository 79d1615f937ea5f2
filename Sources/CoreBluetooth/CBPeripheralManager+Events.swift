internal import BLEAdapter
internal import BLECore

// Events from the loop: first the objects are updated, then the delegate is called. On the program's queue.

extension CBPeripheralManager: EventReceiver {
  func receive(_ event: consuming ManagerEvent) {
    guard case .peripheral(let event) = consume event else { return }
    defer { watch?.returned() }
    switch event {
    case .state(let state): receive(state)
    case .restored(let state): receive(state)
    case .added(let service, let error):
      if error != nil { _ = forget(service) }
      let delegate = delegate
      watch?.callback(
        "peripheralManager(_:didAdd:error:)", to: delegate, ProgramSubject(attribute: service, error: error))
      delegate?.peripheralManager(self, didAdd: service, error: error)
    case .startedAdvertising(let number, let error):
      shared.withLock { state in
        if state.advertisingNumber == number { state.isAdvertising = error == nil || error == .alreadyAdvertising }
      }
      let delegate = delegate
      let shown = error.map { CBError($0) }
      watch?.callback("peripheralManagerDidStartAdvertising(_:error:)", to: delegate, ProgramSubject(error: shown))
      delegate?.peripheralManagerDidStartAdvertising(self, error: shown)
    case .read(let transaction, let identifier, let offset, let central):
      receive(transaction, identifier, offset, central)
    case .writes(let transaction, let writes, let needsResponse, let central):
      receive(transaction, writes, needsResponse, central)
    case .subscribed(let remote, let identifier):
      guard let characteristic = characteristic(identifier) else { return }
      let central = object(for: remote)
      characteristic.add(central)
      let delegate = delegate
      watch?.callback(
        "peripheralManager(_:central:didSubscribeTo:)", to: delegate,
        ProgramSubject(
          peer: remote.identifier, attribute: characteristic, capacity: central.maximumUpdateValueLength))
      delegate?.peripheralManager(self, central: central, didSubscribeTo: characteristic)
    case .unsubscribed(let remote, let identifier):
      guard let characteristic = characteristic(identifier) else { return }
      let central = object(for: remote)
      characteristic.remove(central)
      let delegate = delegate
      watch?.callback(
        "peripheralManager(_:central:didUnsubscribeFrom:)", to: delegate,
        ProgramSubject(peer: remote.identifier, attribute: characteristic))
      delegate?.peripheralManager(self, central: central, didUnsubscribeFrom: characteristic)
    case .updated(let remote): centrals.existing(remote.identifier)?.update(remote)
    case .readyToUpdate:
      window.places.reopen()
      let delegate = delegate
      watch?.callback("peripheralManagerIsReady(toUpdateSubscribers:)", to: delegate)
      delegate?.peripheralManagerIsReady(toUpdateSubscribers: self)
    case .publishedChannel(let multiplexer, let error):
      let delegate = delegate
      watch?.callback(
        "peripheralManager(_:didPublishL2CAPChannel:error:)", to: delegate,
        ProgramSubject(error: error, arguments: [ProgramArgument("PSM", "\(multiplexer)")]))
      delegate?.peripheralManager(self, didPublishL2CAPChannel: multiplexer, error: error)
    case .unpublishedChannel(let multiplexer, let error):
      let delegate = delegate
      watch?.callback(
        "peripheralManager(_:didUnpublishL2CAPChannel:error:)", to: delegate,
        ProgramSubject(error: error, arguments: [ProgramArgument("PSM", "\(multiplexer)")]))
      delegate?.peripheralManager(self, didUnpublishL2CAPChannel: multiplexer, error: error)
    case .openedChannel(let pipe, let central):
      let channel = CBL2CAPChannel(pipe, to: object(for: central), watch: watch)
      let delegate = delegate
      watch?.callback("peripheralManager(_:didOpen:error:)", to: delegate, ProgramSubject(peer: central.identifier))
      delegate?.peripheralManager(self, didOpen: channel, error: nil)
    }
  }

  private func receive(_ state: AdapterState) {
    guard update(state) else { return }
    if state != .poweredOn {
      shared.withLock { $0.isAdvertising = false }
      forgetServices()
    }
    let delegate = delegate
    watch?.callback(
      "peripheralManagerDidUpdateState(_:)", to: delegate,
      ProgramSubject(arguments: [ProgramArgument("state", "\(state)")]))
    delegate?.peripheralManagerDidUpdateState(self)
  }

  private func receive(
    _ transaction: TransactionIdentifier, _ identifier: LocalCharacteristicIdentifier, _ offset: Int,
    _ central: RemoteCentral
  ) {
    guard let characteristic = characteristic(identifier), let delegate else {
      refuse(transaction)
      return
    }
    let request = CBATTRequest(
      transaction, from: object(for: central), to: characteristic, offset: offset, value: nil)
    watch?.callback("peripheralManager(_:didReceiveRead:)", to: delegate, request.subject)
    delegate.peripheralManager(self, didReceiveRead: request)
  }

  private func receive(
    _ transaction: TransactionIdentifier, _ writes: [LocalWrite], _ needsResponse: Bool, _ central: RemoteCentral
  ) {
    let sender = object(for: central)
    let requests = writes.compactMap { write in
      characteristic(write.characteristic).map { characteristic in
        CBATTRequest(
          transaction, from: sender, to: characteristic, offset: write.offset, value: Data(copying: write.value))
      }
    }
    guard requests.count == writes.count, !requests.isEmpty, let delegate else {
      refuse(transaction)
      return
    }
    if let watch {
      var subject = requests.first?.subject ?? ProgramSubject()
      subject.arguments += [
        ProgramArgument("requests", "\(requests.count)"), ProgramArgument("needsResponse", "\(needsResponse)"),
      ]
      watch.callback("peripheralManager(_:didReceiveWrite:)", to: delegate, subject)
    }
    delegate.peripheralManager(self, didReceiveWrite: requests)
  }

  /// The delegate does not implement the method that would respond.
  private func refuse(_ transaction: TransactionIdentifier) {
    let code = UInt8(CBATTError.Code.requestNotSupported.rawValue)
    submit { [session] in session.value.respond(to: transaction, result: code, value: []) }
  }

  private func characteristic(_ identifier: LocalCharacteristicIdentifier) -> CBMutableCharacteristic? {
    shared.withLock { $0.database.characteristic(identifier) }
  }

  func object(for remote: RemoteCentral) -> CBCentral {
    let central = centrals.peer(remote.identifier) { CBCentral(remote, in: centrals) }
    central.update(remote)
    return central
  }
}
