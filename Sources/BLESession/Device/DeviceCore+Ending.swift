import CoreBluetooth

extension DeviceCore {
  func didDisconnect(_ peripheral: CBPeripheral, _ error: (any Error)?) {
    guard peripheral === self.peripheral else { return }
    if state == .disconnecting { return disconnectCompleted() }
    // The callback belongs to an earlier link that was given up; the new attempt continues.
    if !isConnected, peripheral.state == .connecting { return }
    linkEnded(SessionError(.connectionLost, "the connection was lost", underlying: error), error)
  }

  /// Disconnects a link that cannot be used any longer; the session then reconnects as its policy says.
  package func dropLink(_ error: SessionError) {
    guard peripheral != nil, state != .disconnecting else { return }
    linkEnded(error, error)
  }

  /// The link was lost, or is about to be disconnected because of an error, and the user did not ask for that.
  private func linkEnded(_ error: SessionError, _ cause: (any Error)?) {
    let wasReady = state == .ready
    closeLink(error)
    releasePeripheral()
    if !wasReady { return attemptFailed(error) }
    emit(.disconnected(.lost(cause)))
    switch error.underlying {
    case CBError.peerRemovedPairingInformation?: stop(.bondLost)
    default:
      if isWanted, configuration.policy.isAutomatic { begin(.automatic) } else { stop(.lost) }
    }
  }

  /// Ends everything that depends on the link.
  func closeLink(_ error: SessionError) {
    endPreparation()
    discoveriesUnderWay = 0
    opening?.timer?.cancel()
    opening = nil
    identityReply = nil
    operations.close(error)
    signal.close(error)
    subscriptions.linkEnded()
  }

  /// Disconnects on the user's request; the session does not reconnect.
  package func disconnect(_ reply: Reply<Void>?) {
    isWanted = false
    if let reply { disconnectReplies.append(reply) }
    let error = SessionError(.disconnected, "the session was ended by the user")
    failAwaitingPower(error)
    if state == .disconnecting { return }
    let wasReady = state == .ready
    endEffort(error)
    closeLink(error)
    operations.failAll(error)
    signal.failAll(error)
    guard let peripheral, peripheral.state != .disconnected, central.manager.state == .poweredOn else {
      releasePeripheral()
      return finishDisconnecting(wasReady)
    }
    enter(.disconnecting)
    wasReadyBeforeDisconnect = wasReady
    // In case the callback does not arrive.
    disconnectTimer = call(after: .seconds(5)) { $0.disconnectCompleted() }
    central.manager.cancelPeripheralConnection(peripheral)
  }

  /// Called when the link that the user ended is down.
  func disconnectCompleted() {
    guard state == .disconnecting else { return }
    disconnectTimer?.cancel()
    releasePeripheral()
    finishDisconnecting(wasReadyBeforeDisconnect)
  }

  private func finishDisconnecting(_ wasReady: Bool) {
    if wasReady { emit(.disconnected(.user)) }
    enter(.stopped(.user))
    let waiting = disconnectReplies
    disconnectReplies = []
    for reply in waiting { reply.succeed(()) }
  }

  /// Ends the effort to connect and fails everything that waits.
  func stop(_ reason: StopReason) {
    let error = Self.error(for: reason, last: effort?.lastError)
    endEffort(error)
    closeLink(error)
    releasePeripheral()
    operations.failAll(error)
    signal.failAll(error)
    // A session that was stopped by the state of Bluetooth starts again when that changes; all others wait for the user.
    if ![.poweredOff, .unauthorized, .unsupported].contains(reason) { isWanted = false }
    enter(.stopped(reason))
  }

  private func endEffort(_ error: SessionError) {
    guard let effort else { return }
    stopScan()
    effort.stopTimers()
    self.effort = nil
    for waiter in effort.waiters { waiter.fail(error) }
  }

  func failAwaitingPower(_ error: SessionError) {
    let waiting = awaitingPower
    awaitingPower = []
    for reply in waiting { reply.fail(error) }
  }

  func powerChanged(_ power: CBManagerState) {
    switch power {
    case .unknown, .resetting: break
    case .poweredOn:
      let waiting = awaitingPower
      awaitingPower = []
      for reply in waiting where !reply.isOver { connect(reply) }
    default: failAwaitingPower(.unavailable(power))
    }
    switch power {
    case .poweredOn:
      if isWanted, effort == nil, !isConnected, state != .disconnecting { begin(.automatic) }
    case .unknown: break
    case .poweredOff, .resetting: lostPower(.poweredOff)
    case .unauthorized: lostPower(.unauthorized)
    default: lostPower(.unsupported)
    }
  }

  /// When Bluetooth is switched off, links end without a callback.
  private func lostPower(_ reason: StopReason) {
    if state == .disconnecting { return disconnectCompleted() }
    let wasReady = state == .ready
    guard wasReady || effort != nil || isWanted else { return }
    if wasReady {
      emit(.disconnected(.lost(SessionError.unavailable(central.manager.state))))
    }
    stop(reason)
  }

  private static func error(for reason: StopReason, last: SessionError?) -> SessionError {
    switch reason {
    case .user: SessionError(.disconnected, "the session was ended by the user")
    case .bondLost:
      SessionError(
        .bondLost, "the device deleted the pairing: delete it here too and pair again", underlying: last?.underlying)
    case .poweredOff: .unavailable(.poweredOff)
    case .budgetSpent:
      SessionError(.budgetSpent, "the device did not connect in time: is it on and in range?", underlying: last)
    case .attemptsSpent: SessionError(.attemptsSpent, "all attempts failed", underlying: last)
    case .unauthorized: .unavailable(.unauthorized)
    case .unsupported: .unavailable(.unsupported)
    case .notVerified: last ?? SessionError(.notVerified, "the device did not prove its identity")
    case .lost: SessionError(.connectionLost, "the connection was lost", underlying: last?.underlying)
    }
  }
}
