import CoreBluetooth

/// One effort to get the device: attempts and pauses, until it is ready or the policy's limits are reached.
final class Campaign {
  let origin: ConnectionOrigin
  let deadline: Duration
  var attempts = 0
  var failures = 0
  var waiters: [Reply<Void>] = []
  var budgetTimer: (any SessionTimer)?
  /// What moves an attempt on: the switch to scanning, the pause between attempts.
  var stepTimer: (any SessionTimer)?
  var hintTimer: (any SessionTimer)?
  var scan: Int?
  var lastError: SessionError?
  /// Devices that turned out to be others.
  var rejected: Set<UUID> = []

  init(origin: ConnectionOrigin, deadline: Duration) {
    self.origin = origin
    self.deadline = deadline
  }

  func stopTimers() {
    for timer in [budgetTimer, stepTimer, hintTimer] { timer?.cancel() }
  }
}

extension DeviceCore {
  /// The user's own wish: what the session was about to do by itself gives way to it.
  package func connect(_ reply: Reply<Void>) {
    let power = central.manager.state
    if power == .unknown || power == .resetting { return waitForPower(reply) }
    guard power == .poweredOn else { return reply.fail(.unavailable(power)) }
    if state == .ready { return reply.succeed(()) }
    isWanted = true
    if state == .disconnecting {
      // The link has to be down before it can come up again.
      let farewell = Reply<Void>()
      farewell.whenSucceeded = { [weak self] _ in if !reply.isOver { self?.connect(reply) } }
      farewells.append(farewell)
      return
    }
    reply.onCancel = { [weak self] in self?.giveUpIfNobodyWaits() }
    if let campaign, campaign.origin == .user || isConnected {
      campaign.waiters.append(reply)
    } else {
      abandonAttempt()
      begin(.user)
      campaign?.waiters.append(reply)
    }
  }

  /// Bluetooth is starting: it will say in a moment whether it can be used, and has the same budget for that.
  private func waitForPower(_ reply: Reply<Void>) {
    awaitingPower.append(reply)
    _ = call(after: configuration.policy.budget) { core in
      core.awaitingPower.removeAll { $0 === reply }
      if !reply.isOver { reply.fail(.unavailable(core.central.manager.state)) }
    }
    reply.onCancel = { [weak self] in self?.awaitingPower.removeAll { $0 === reply } }
  }

  /// Keeps the device from now on: connects by itself whenever Bluetooth is on.
  func keep() {
    isWanted = true
    guard campaign == nil, !isConnected, state != .disconnecting else { return }
    switch central.manager.state {
    case .poweredOn: begin(.automatic)
    case .poweredOff: enter(.stopped(.poweredOff))
    case .unauthorized: enter(.stopped(.unauthorized))
    case .unsupported: enter(.stopped(.unsupported))
    default: break
    }
  }

  func begin(_ origin: ConnectionOrigin) {
    campaign?.stopTimers()
    let policy = configuration.policy
    let campaign = Campaign(origin: origin, deadline: central.clock.now + policy.budget)
    campaign.waiters = self.campaign?.waiters ?? []
    self.campaign = campaign
    self.origin = origin
    // A timer's call may be on its way when the timer is cancelled: each looks whether it is still meant.
    campaign.budgetTimer = call(after: policy.budget) { [weak campaign] core in
      if campaign != nil, core.campaign === campaign { core.stop(.budgetSpent) }
    }
    if let hint = configuration.wakeHint {
      campaign.hintTimer = call(after: configuration.patience) { core in
        if !core.isConnected { core.emit(.hint(hint)) }
      }
    }
    attempt()
  }

  private func attempt() {
    guard let campaign else { return }
    if let most = configuration.policy.maximumAttempts, campaign.attempts >= most { return stop(.attemptsSpent) }
    campaign.attempts += 1
    emit(.attempt(number: campaign.attempts, remaining: campaign.deadline - central.clock.now))
    guard configuration.policy.approach != .scan, let identifier = target.identifier,
      !campaign.rejected.contains(identifier), let known = central.peripheral(identifier)
    else { return search() }
    guard !central.isTaken(identifier, by: self) else {
      return attemptFailed(SessionError(.invalid, "another session of this central has the device: end that one first"))
    }
    connect(to: known)
    if case .directThenScan(let delay) = configuration.policy.approach {
      campaign.stepTimer = call(after: delay) { [weak campaign] core in
        if campaign != nil, core.campaign === campaign, !core.isConnected { core.search() }
      }
    }
  }

  private func search() {
    guard let campaign, campaign.scan == nil else { return }
    if peripheral == nil { enter(.searching) }
    // What is connected to this host does not advertise.
    for discovery in central.connected(withServices: configuration.services ?? [])
    where target.rule.matches(discovery) && isAcceptable(discovery) {
      return found(discovery)
    }
    campaign.scan = central.scanner.add(target.rule, repeats: false) { [weak self] in self?.found($0) }
  }

  private func found(_ discovery: Discovery) {
    guard let campaign, !isConnected, isAcceptable(discovery),
      let found = central.peripheral(discovery.identifier)
    else { return }
    stopScan()
    campaign.stepTimer?.cancel()
    letGo()
    connect(to: found)
  }

  private func isAcceptable(_ discovery: Discovery) -> Bool {
    guard discovery.advertisement.isConnectable != false, discovery.identifier != peripheral?.identifier,
      campaign?.rejected.contains(discovery.identifier) == false
    else { return false }
    guard central.isTaken(discovery.identifier, by: self) else { return true }
    central.passOver(discovery.identifier)
    return false
  }

  /// The device that is connected is not the one that was meant: looks for another one, if the rule leaves room for that.
  func reject(_ error: SessionError) {
    guard let campaign, let peripheral else { return }
    if case .identifier = target.rule { return dropLink(error) }
    campaign.rejected.insert(peripheral.identifier)
    campaign.lastError = error
    abandonAttempt()
    emit(.attemptFailed(number: campaign.attempts, error))
    attempt()
  }

  /// A device that another session had is free.
  func lookAgain() {
    guard campaign?.scan != nil else { return }
    stopScan()
    search()
  }

  func stopScan() {
    guard let scan = campaign?.scan else { return }
    campaign?.scan = nil
    central.scanner.remove(scan)
  }

  private func connect(to peripheral: CBPeripheral) {
    self.peripheral = peripheral
    peripheral.delegate = self
    central.attach(self, to: peripheral.identifier)
    enter(.connecting)
    let options = configuration.connectOptions.mapValues { NSNumber(value: $0) as Any }
    central.manager.connect(peripheral, options: options.isEmpty ? nil : options)
  }

  func didConnect(_ peripheral: CBPeripheral) {
    guard peripheral === self.peripheral, !isConnected, let campaign, state == .connecting else { return }
    isConnected = true
    stopScan()
    campaign.stepTimer?.cancel()
    campaign.hintTimer?.cancel()
    emit(.connected(campaign.origin))
    prepare()
  }

  func didFailToConnect(_ peripheral: CBPeripheral, _ error: (any Error)?) {
    guard peripheral === self.peripheral, !isConnected else { return }
    if state == .disconnecting { return farewell() }
    attemptFailed(SessionError(.notConnected, "the device could not be connected to", underlying: error))
  }

  /// The next attempt comes after a pause, unless the reason is one that no attempt changes.
  func attemptFailed(_ error: SessionError) {
    guard let campaign else { return }
    campaign.lastError = error
    abandonAttempt()
    emit(.attemptFailed(number: campaign.attempts, error))
    switch error.underlying {
    case CBError.peerRemovedPairingInformation?: return stop(.bondLost)
    default: if error.code == .notVerified { return stop(.notVerified) }
    }
    campaign.failures += 1
    enter(.waiting)
    let pause = configuration.policy.backOff.pause(
      afterFailures: campaign.failures, chance: Double.random(in: 0..<1, using: &central.chance))
    campaign.stepTimer = call(after: pause) { [weak campaign] core in
      if campaign != nil, core.campaign === campaign, core.state == .waiting { core.attempt() }
    }
  }

  /// Ends what the attempt had begun. The link, if there is one, is taken down without waiting for it.
  func abandonAttempt() {
    stopScan()
    campaign?.stepTimer?.cancel()
    closeLink(campaign?.lastError ?? SessionError(.notConnected, "the attempt failed"))
    letGo()
  }

  /// Turns away from the peripheral.
  func letGo() {
    guard let peripheral else { return }
    self.peripheral = nil
    isConnected = false
    if peripheral.delegate === self { peripheral.delegate = nil }
    if peripheral.state != .disconnected, central.manager.state == .poweredOn {
      central.manager.cancelPeripheralConnection(peripheral)
    }
    // Last: another session may take it at once.
    central.detach(self, from: peripheral.identifier)
  }

  private func giveUpIfNobodyWaits() {
    guard let campaign, campaign.origin == .user, campaign.waiters.allSatisfy(\.isOver) else { return }
    disconnect(nil)
  }

  func becomeReady() {
    guard let campaign, let peripheral else { return }
    target.identifier = peripheral.identifier
    remember(peripheral)
    campaign.stopTimers()
    self.campaign = nil
    enter(.ready)
    emit(.ready(campaign.origin))
    for waiter in campaign.waiters { waiter.succeed(()) }
    operations.becomeReady()
    signal.open(peripheral)
    settleSubscriptions()
  }

  private func remember(_ peripheral: CBPeripheral) {
    let heard = central.scanner.discovery(peripheral.identifier)
    let address = configuration.addressRule.flatMap { rule in heard.flatMap { rule.address(in: $0.advertisement) } }
    do {
      try central.memory?.remember(
        RememberedDevice(
          identifier: peripheral.identifier, name: heard?.name ?? peripheral.name, address: address))
    } catch {
      emit(.storageFailed(error))
    }
  }
}
