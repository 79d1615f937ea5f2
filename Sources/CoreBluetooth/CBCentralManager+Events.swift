internal import BLEAdapter
internal import BLECore

// Events from the loop: first the objects are updated, then the delegate is called. On the program's queue.

extension CBCentralManager: EventReceiver {
  func receive(_ event: consuming ManagerEvent) {
    guard case .central(let event) = consume event else { return }
    defer { watch?.returned() }
    switch event {
    case .peripheral(let connection, let event): connection.peripheral.value.object?.receive(event, on: connection)
    case .discovered(let discovery, let scan): receive(discovery, scan)
    case .state(let state): receive(state)
    case .restored(let state): receive(state)
    case .connected(let peer, let connection):
      guard let peripheral = connection.peripheral.value.object else { return }
      guard peripheral.didConnect(connection, name: peer.name) else { return }
      peripheral.alert(.connection, "has connected")
      let delegate = delegate
      watch?.callback(
        "centralManager(_:didConnect:)", to: delegate, ProgramSubject(peer: peer.identifier, capacity: peripheral.room))
      delegate?.centralManager(self, didConnect: peripheral)
    case .failedToConnect(let identifier, let reason): receive(failure: CBError(reason), of: identifier)
    case .refusedToConnect(let identifier, let code): receive(refusal: CBError(describing: code), of: identifier)
    case .disconnected(let identifier, let reason): receive(disconnection: reason, of: identifier)
    case .linkChanged(let peer, let isConnected, let services): receive(change: peer, isConnected, services)
    case .rssiUnavailable(let identifier):
      guard let peripheral = context.peripherals.existing(identifier) else { return }
      let error = CBError(describing: .notConnected)
      let delegate = peripheral.delegate
      watch?.callback(
        "peripheral(_:didReadRSSI:error:)", to: delegate, ProgramSubject(peer: identifier, error: error))
      delegate?.peripheral(peripheral, didReadRSSI: SignalNumber.unavailable, error: error)
    case .soundingUnavailable(let identifier):
      guard let peripheral = context.peripherals.existing(identifier) else { return }
      let error = CBError(describing: .operationNotSupported)
      let delegate = peripheral.delegate
      watch?.callback(
        "peripheral(_:didCompleteChannelSoundingSession:)", to: delegate, ProgramSubject(peer: identifier, error: error)
      )
      delegate?.peripheral(peripheral, didCompleteChannelSoundingSession: error)
    }
  }

  private func receive(_ state: AdapterState) {
    guard update(state) else { return }
    if state != .poweredOn {
      shared.withLock { state in
        state.isScanning = false
        state.connectionEvents?.connected = []
      }
      let isInvalid = CBManagerState(state).rawValue < CBManagerState.poweredOff.rawValue
      for peripheral in context.peripherals.all { peripheral.didLosePower(isInvalid: isInvalid) }
      if isInvalid { context.peripherals.removeAll() }
    }
    let delegate = delegate
    watch?.callback(
      "centralManagerDidUpdateState(_:)", to: delegate,
      ProgramSubject(arguments: [ProgramArgument("state", "\(state)")]))
    delegate?.centralManagerDidUpdateState(self)
  }

  private func receive(_ discovery: DiscoveryEvent, _ scan: Int) {
    let (isWanted, delegate) = shared.withLock { ($0.isScanning && $0.scan == scan, $0.delegate) }
    guard isWanted, let delegate else { return }
    var isNew = false
    let peripheral = context.peripherals.peer(discovery.peer) {
      isNew = true
      return CBPeripheral(discovery.peer, name: discovery.name, of: context)
    }
    if !isNew { peripheral.update(name: discovery.name) }
    watch?.callback(
      "centralManager(_:didDiscover:advertisementData:rssi:)", to: delegate,
      ProgramSubject(
        peer: discovery.peer,
        arguments: [ProgramArgument("name", discovery.name ?? "nil"), ProgramArgument("rssi", "\(discovery.rssi)")]
          + ProgramArgument.entries(discovery.content.dictionary)))
    delegate.centralManager(
      self, didDiscover: peripheral, advertisementData: discovery.content.dictionary,
      rssi: SignalNumber.of(discovery.rssi))
  }

  private func receive(failure: CBError?, of identifier: PeerIdentifier) {
    guard let peripheral = context.peripherals.existing(identifier) else { return }
    _ = peripheral.didDisconnect()
    let error = failure ?? CBError(describing: .connectionFailed)
    let delegate = delegate
    watch?.callback(
      "centralManager(_:didFailToConnect:error:)", to: delegate, ProgramSubject(peer: identifier, error: error))
    delegate?.centralManager(self, didFailToConnect: peripheral, error: error)
  }

  /// A call that could not be carried out; the state of the peripheral is unchanged.
  private func receive(refusal error: CBError, of identifier: PeerIdentifier) {
    guard let peripheral = context.peripherals.existing(identifier) else { return }
    let delegate = delegate
    watch?.callback(
      "centralManager(_:didFailToConnect:error:)", to: delegate, ProgramSubject(peer: identifier, error: error))
    delegate?.centralManager(self, didFailToConnect: peripheral, error: error)
  }

  /// The older callback is called first. If the delegate does not have it, its default implementation calls the newer one, and
  /// only then is the connection made again automatically.
  private func receive(disconnection reason: EndReason, of identifier: PeerIdentifier) {
    guard let peripheral = context.peripherals.existing(identifier) else { return }
    let reconnection = peripheral.didDisconnect()
    let error = CBError(reason)
    if error != nil { peripheral.alert(.disconnection, "has disconnected") }
    let isReconnecting = reconnection != nil && error != nil && peripheral.state == .disconnected
    disconnection = Disconnection(timestamp: CFAbsoluteTimeGetCurrent(), isReconnecting: isReconnecting)
    let delegate = delegate
    watch?.callback(
      "centralManager(_:didDisconnectPeripheral:error:)", to: delegate, ProgramSubject(peer: identifier, error: error))
    delegate?.centralManager(self, didDisconnectPeripheral: peripheral, error: error)
    let wasHandedOn = disconnection?.wasHandedOn ?? false
    disconnection = nil
    if isReconnecting, wasHandedOn, let reconnection, peripheral.state == .connecting {
      ask(for: peripheral, reconnection)
    }
  }

  /// The default implementation of the older disconnect callback.
  func forwardDisconnection(of peripheral: CBPeripheral, _ error: (any Error)?) {
    guard let disconnection else { return }
    self.disconnection?.wasHandedOn = true
    if disconnection.isReconnecting { peripheral.willReconnect() }
    let delegate = delegate
    if let watch {
      let subject = ProgramSubject(
        peer: peripheral.peerIdentifier, error: error,
        arguments: [ProgramArgument("isReconnecting", "\(disconnection.isReconnecting)")])
      watch.unhandled("centralManager(_:didDisconnectPeripheral:error:)", subject)
      watch.callback(
        "centralManager(_:didDisconnectPeripheral:timestamp:isReconnecting:error:)", to: delegate, subject)
    }
    delegate?.centralManager(
      self, didDisconnectPeripheral: peripheral, timestamp: disconnection.timestamp,
      isReconnecting: disconnection.isReconnecting, error: error)
  }

  /// The default implementation of the newer disconnect callback: the delegate has neither.
  func disconnectionWasNotHandled(of peripheral: CBPeripheral) {
    watch?.unhandled(
      "centralManager(_:didDisconnectPeripheral:timestamp:isReconnecting:error:)",
      ProgramSubject(peer: peripheral.peerIdentifier))
    guard disconnection?.isReconnecting == true else { return }
    disconnection?.wasHandedOn = false
    peripheral.willNotReconnect()
  }
}

/// The arguments that only the newer disconnect callback has.
struct Disconnection {
  let timestamp: CFAbsoluteTime
  let isReconnecting: Bool
  var wasHandedOn = false
}
