internal import BLEAdapter
internal import BLECore

// Events from the loop: first the object is updated, then the delegate is called. On the program's queue.

extension CBPeripheral {
  func receive(_ event: RemotePeripheralEvent, on connection: PeerConnection) {
    let (isCurrent, database, delegate, alerts) = withState { state in
      (state.connection === connection, state.database, state.delegate, state.openAlerts)
    }
    guard isCurrent, let database else { return }
    switch event {
    case .notified(let handle, let value):
      guard let characteristic = database.characteristic(handle) else { return }
      characteristic.keep(value)
      if alerts.contains(.notification) { alert(.notification, "has sent a notification") }
      tell(
        "peripheral(_:didUpdateValueFor:error:)", delegate,
        ProgramSubject(attribute: characteristic, octets: value.count))
      delegate?.peripheral(self, didUpdateValueFor: characteristic, error: nil)
    case .read(let characteristic, let answer):
      if case .success(let value) = answer { characteristic.keep(value) }
      tell(
        "peripheral(_:didUpdateValueFor:error:)", delegate,
        ProgramSubject(attribute: characteristic, octets: answer.success?.count, error: answer.failure?.shown))
      delegate?.peripheral(self, didUpdateValueFor: characteristic, error: answer.failure?.shown)
    case .wrote(let characteristic, let error):
      tell(
        "peripheral(_:didWriteValueFor:error:)", delegate,
        ProgramSubject(attribute: characteristic, error: error?.shown))
      delegate?.peripheral(self, didWriteValueFor: characteristic, error: error?.shown)
    case .notifying(let characteristic, let isOn, let error):
      if error == nil { characteristic.keep(isNotifying: isOn) }
      tell(
        "peripheral(_:didUpdateNotificationStateFor:error:)", delegate,
        ProgramSubject(attribute: characteristic, error: error?.shown))
      delegate?.peripheral(self, didUpdateNotificationStateFor: characteristic, error: error?.shown)
    case .readDescriptor(let descriptor, let answer):
      if case .success(let value) = answer { descriptor.store(value) }
      tell(
        "peripheral(_:didUpdateValueFor:error:)", delegate,
        ProgramSubject(attribute: descriptor, octets: answer.success?.count, error: answer.failure?.shown))
      delegate?.peripheral(self, didUpdateValueFor: descriptor, error: answer.failure?.shown)
    case .wroteDescriptor(let descriptor, let error):
      tell(
        "peripheral(_:didWriteValueFor:error:)", delegate, ProgramSubject(attribute: descriptor, error: error?.shown))
      delegate?.peripheral(self, didWriteValueFor: descriptor, error: error?.shown)
    case .rssi(let answer): receive(rssi: answer, delegate)
    case .readyToWrite:
      connection.window.reopen()
      tell("peripheralIsReady(toSendWriteWithoutResponse:)", delegate)
      delegate?.peripheralIsReady(toSendWriteWithoutResponse: self)
    case .openedChannel(let answer):
      tell("peripheral(_:didOpen:error:)", delegate, ProgramSubject(error: answer.failure?.shown))
      switch answer {
      case .success(let pipe):
        delegate?.peripheral(self, didOpen: CBL2CAPChannel(pipe, to: self, watch: context.watch), error: nil)
      case .failure(let error): delegate?.peripheral(self, didOpen: nil, error: error.shown)
      }
    case .services, .includedServices, .characteristics, .descriptors, .modified:
      receive(discovery: event, database, delegate)
    case .renamed(let name):
      let hasChanged = withState { state in
        defer { state.name = name }
        return state.name != name
      }
      guard hasChanged else { return }
      tell("peripheralDidUpdateName(_:)", delegate)
      delegate?.peripheralDidUpdateName(self)
    }
  }

  private func receive(
    discovery event: RemotePeripheralEvent, _ database: RemoteObjects, _ delegate: (any CBPeripheralDelegate)?
  ) {
    switch event {
    case .services(let filter, let answer):
      if case .success(let found) = answer {
        let all = database.merge(found, into: services, isFiltered: filter != nil, of: self)
        withState { $0.services = all }
      }
      tell(
        "peripheral(_:didDiscoverServices:)", delegate,
        ProgramSubject(error: answer.failure?.shown, arguments: [.found(services, isFiltered: filter != nil)]))
      delegate?.peripheral(self, didDiscoverServices: answer.failure?.shown)
    case .includedServices(let service, let filter, let answer):
      if case .success(let found) = answer {
        let all = database.merge(found, into: service.includedServices, isFiltered: filter != nil, of: self)
        service.withState { $0.includedServices = all }
      }
      tell(
        "peripheral(_:didDiscoverIncludedServicesFor:error:)", delegate,
        ProgramSubject(attribute: service, error: answer.failure?.shown))
      delegate?.peripheral(self, didDiscoverIncludedServicesFor: service, error: answer.failure?.shown)
    case .characteristics(let service, let filter, let answer):
      if case .success(let found) = answer { database.merge(found, into: service, isFiltered: filter != nil) }
      tell(
        "peripheral(_:didDiscoverCharacteristicsFor:error:)", delegate,
        ProgramSubject(
          attribute: service, error: answer.failure?.shown,
          arguments: [.found(service.characteristics, isFiltered: filter != nil)]))
      delegate?.peripheral(self, didDiscoverCharacteristicsFor: service, error: answer.failure?.shown)
    case .descriptors(let characteristic, let answer):
      if case .success(let found) = answer { database.merge(found, into: characteristic) }
      tell(
        "peripheral(_:didDiscoverDescriptorsFor:error:)", delegate,
        ProgramSubject(attribute: characteristic, error: answer.failure?.shown))
      delegate?.peripheral(self, didDiscoverDescriptorsFor: characteristic, error: answer.failure?.shown)
    case .modified(let handles):
      let invalid = database.invalidate(handles)
      let kept = services?.filter { $0.isValid }
      withState { $0.services = kept }
      tell(
        "peripheral(_:didModifyServices:)", delegate,
        ProgramSubject(arguments: [.found(invalid, isFiltered: true)]))
      delegate?.peripheral(self, didModifyServices: invalid)
    default: return
    }
  }

  /// The delegate's method is called next.
  private func tell(
    _ name: String, _ delegate: (any CBPeripheralDelegate)?,
    _ subject: @autoclosure () -> ProgramSubject = ProgramSubject()
  ) {
    guard let watch = context.watch else { return }
    var subject = subject()
    subject.peer = peerIdentifier
    watch.callback(name, to: delegate, subject)
  }

  private func receive(rssi answer: Result<Int8, OperationError>, _ delegate: (any CBPeripheralDelegate)?) {
    var rssi = SignalNumber.unavailable
    if case .success(let value) = answer {
      rssi = SignalNumber.of(value)
      withState { $0.rssi = rssi }
    }
    tell(
      "peripheral(_:didReadRSSI:error:)", delegate,
      ProgramSubject(error: answer.failure?.shown, arguments: [ProgramArgument("RSSI", "\(rssi)")]))
    delegate?.peripheral(self, didReadRSSI: rssi, error: answer.failure?.shown)
  }
}

extension CBCharacteristic {
  func keep(_ value: Data) {
    _ = withState { state in
      let old = state.value
      state.value = value
      return old
    }
  }

  func keep(isNotifying: Bool) { withState { $0.isNotifying = isNotifying } }
}

/// Cached `NSNumber` objects of dBm values, since each discovery carries one.
enum SignalNumber {
  static let unavailable = of(127)
  private static let all = (Int8.min...Int8.max).map { NSNumber(value: $0) }
  static func of(_ value: Int8) -> NSNumber { all[Int(value) - Int(Int8.min)] }
}
