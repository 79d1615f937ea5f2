import CoreBluetooth

extension DeviceCore {
  func didDisconnect(_ peripheral: CBPeripheral, _ error: (any Error)?) {
    guard peripheral === self.peripheral else { return }
    if state == .disconnecting { return farewell() }
    // The end of an earlier link, which was given up; the new attempt goes on.
    if !isConnected, peripheral.state == .connecting { return }
    linkEnded(SessionError(.connectionLost, "the connection was lost", underlying: error), error)
  }

  /// Takes down a link that is of no use any more; to be won back.
  package func dropLink(_ error: SessionError) {
    guard peripheral != nil, state != .disconnecting else { return }
    linkEnded(error, error)
  }

  /// The link is gone, or will be in a moment, and nobody wished it.
  private func linkEnded(_ error: SessionError, _ cause: (any Error)?) {
    let wasReady = state == .ready
    closeLink(error)
    letGo()
    if !wasReady { return attemptFailed(error) }
    emit(.disconnected(.lost(cause)))
    switch error.underlying {
    case CBError.peerRemovedPairingInformation?: stop(.bondLost)
    default:
      if isWanted, configuration.policy.isAutomatic { begin(.automatic) } else { stop(.lost) }
    }
  }

  /// What belonged to the link ends with it.
  func closeLink(_ error: SessionError) {
    preparation?.timer?.cancel()
    preparation = nil
    discoveriesUnderWay = 0
    opening?.timer?.cancel()
    opening = nil
    identityReply = nil
    operations.close(error)
    signal.close(error)
    subscriptions.linkEnded()
  }

  /// The user's own wish: nothing is won back after it.
  package func disconnect(_ reply: Reply<Void>?) {
    isWanted = false
    if let reply { farewells.append(reply) }
    let error = SessionError(.disconnected, "the session was ended by the user")
    failAwaitingPower(error)
    if state == .disconnecting { return }
    let wasReady = state == .ready
    endCampaign(error)
    closeLink(error)
    operations.failAll(error)
    signal.failAll(error)
    guard let peripheral, peripheral.state != .disconnected, central.manager.state == .poweredOn else {
      letGo()
      return finishDisconnecting(wasReady)
    }
    enter(.disconnecting)
    wasReadyBeforeFarewell = wasReady
    // Survives a callback that never comes.
    farewellTimer = call(after: .seconds(5)) { $0.farewell() }
    central.manager.cancelPeripheralConnection(peripheral)
  }

  /// The link that the user ended is down.
  func farewell() {
    guard state == .disconnecting else { return }
    farewellTimer?.cancel()
    letGo()
    finishDisconnecting(wasReadyBeforeFarewell)
  }

  private func finishDisconnecting(_ wasReady: Bool) {
    if wasReady { emit(.disconnected(.user)) }
    enter(.stopped(.user))
    let waiting = farewells
    farewells = []
    for reply in waiting { reply.succeed(()) }
  }

  /// Ends all efforts.
  func stop(_ reason: StopReason) {
    let error = Self.error(for: reason, last: campaign?.lastError)
    endCampaign(error)
    closeLink(error)
    letGo()
    operations.failAll(error)
    signal.failAll(error)
    // What starts over by itself is wanted still; everything else waits for the user.
    if ![.poweredOff, .unauthorized, .unsupported].contains(reason) { isWanted = false }
    enter(.stopped(reason))
  }

  private func endCampaign(_ error: SessionError) {
    guard let campaign else { return }
    stopScan()
    campaign.stopTimers()
    self.campaign = nil
    for waiter in campaign.waiters { waiter.fail(error) }
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
      if isWanted, campaign == nil, !isConnected, state != .disconnecting { begin(.automatic) }
    case .unknown: break
    case .poweredOff, .resetting: lostPower(.poweredOff)
    case .unauthorized: lostPower(.unauthorized)
    default: lostPower(.unsupported)
    }
  }

  /// With Bluetooth off there is no callback for each link: they are gone.
  private func lostPower(_ reason: StopReason) {
    if state == .disconnecting { return farewell() }
    let wasReady = state == .ready
    guard wasReady || campaign != nil || isWanted else { return }
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
        .bondLost, "the device forgot the pairing: forget it here, too, and pair anew", underlying: last?.underlying)
    case .poweredOff: .unavailable(.poweredOff)
    case .budgetSpent:
      SessionError(.budgetSpent, "the device did not come in time: is it switched on and near?", underlying: last)
    case .attemptsSpent: SessionError(.attemptsSpent, "all attempts failed", underlying: last)
    case .unauthorized: .unavailable(.unauthorized)
    case .unsupported: .unavailable(.unsupported)
    case .notVerified: last ?? SessionError(.notVerified, "the device did not prove what it should be")
    case .lost: SessionError(.connectionLost, "the connection was lost", underlying: last?.underlying)
    }
  }
}
