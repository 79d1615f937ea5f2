import CoreBluetooth

/// One effort to connect: attempts and pauses, until the session is ready or a limit of the policy is reached.
final class ConnectionEffort {
  let origin: ConnectionOrigin
  let deadline: Duration
  var attempts = 0
  var failures = 0
  var waiters: [Reply<Void>] = []
  var budgetTimer: (any SessionTimer)?
  /// Starts the next step of an attempt: scanning, or the next attempt after a pause.
  var stepTimer: (any SessionTimer)?
  var hintTimer: (any SessionTimer)?
  var scan: Int?
  var lastError: SessionError?
  /// Devices that failed the identity check.
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
  /// Connects on the user's request, which replaces an automatic effort.
  package func connect(_ reply: Reply<Void>) {
    let power = central.manager.state
    if power == .unknown || power == .resetting { return waitForPower(reply) }
    guard power == .poweredOn else { return reply.fail(.unavailable(power)) }
    if state == .ready { return reply.succeed(()) }
    isWanted = true
    if state == .disconnecting {
      // The link has to be down before a new connection is requested.
      let disconnectReply = Reply<Void>()
      disconnectReply.whenSucceeded = { [weak self] _ in if !reply.isOver { self?.connect(reply) } }
      disconnectReplies.append(disconnectReply)
      return
    }
    reply.onCancel = { [weak self] in self?.cancelIfNoCallerWaits() }
    if let effort, effort.origin == .user || isConnected {
      effort.waiters.append(reply)
    } else {
      abandonAttempt()
      begin(.user)
      effort?.waiters.append(reply)
    }
  }

  /// The manager's state is not known yet: waits for it, at most for the policy's budget.
  private func waitForPower(_ reply: Reply<Void>) {
    awaitingPower.append(reply)
    _ = call(after: configuration.policy.budget) { core in
      core.awaitingPower.removeAll { $0 === reply }
      if !reply.isOver { reply.fail(.unavailable(core.central.manager.state)) }
    }
    reply.onCancel = { [weak self] in self?.awaitingPower.removeAll { $0 === reply } }
  }

  /// Keeps the device connected: connects automatically whenever Bluetooth is powered on.
  func keep() {
    isWanted = true
    guard effort == nil, !isConnected, state != .disconnecting else { return }
    switch central.manager.state {
    case .poweredOn: begin(.automatic)
    case .poweredOff: enter(.stopped(.poweredOff))
    case .unauthorized: enter(.stopped(.unauthorized))
    case .unsupported: enter(.stopped(.unsupported))
    default: break
    }
  }

  func begin(_ origin: ConnectionOrigin) {
    effort?.stopTimers()
    let policy = configuration.policy
    let effort = ConnectionEffort(origin: origin, deadline: central.clock.now + policy.budget)
    effort.waiters = self.effort?.waiters ?? []
    self.effort = effort
    self.origin = origin
    // The action of a timer may already be queued when the timer is cancelled, so each one checks whether it is still current.
    effort.budgetTimer = call(after: policy.budget) { [weak effort] core in
      if effort != nil, core.effort === effort { core.stop(.budgetSpent) }
    }
    if let hint = configuration.wakeHint {
      effort.hintTimer = call(after: configuration.patience) { core in
        if !core.isConnected { core.emit(.hint(hint)) }
      }
    }
    attempt()
  }

  private func attempt() {
    guard let effort else { return }
    if let most = configuration.policy.maximumAttempts, effort.attempts >= most { return stop(.attemptsSpent) }
    effort.attempts += 1
    emit(.attempt(number: effort.attempts, remaining: effort.deadline - central.clock.now))
    guard configuration.policy.approach != .scan, let identifier = target.identifier,
      !effort.rejected.contains(identifier), let known = central.peripheral(identifier)
    else { return search() }
    guard !central.isTaken(identifier, by: self) else {
      return attemptFailed(SessionError(.invalid, "another session of this central uses the device: end it first"))
    }
    connect(to: known)
    if case .directThenScan(let delay) = configuration.policy.approach {
      effort.stepTimer = call(after: delay) { [weak effort] core in
        if effort != nil, core.effort === effort, !core.isConnected { core.search() }
      }
    }
  }

  private func search() {
    guard let effort, effort.scan == nil else { return }
    if peripheral == nil { enter(.searching) }
    // A device that is connected to this host does not advertise.
    for discovery in central.connected(withServices: configuration.services ?? [])
    where target.rule.matches(discovery) && isAcceptable(discovery) {
      return found(discovery)
    }
    effort.scan = central.scanner.add(target.rule, repeats: false) { [weak self] in self?.found($0) }
  }

  private func found(_ discovery: Discovery) {
    guard let effort, !isConnected, isAcceptable(discovery),
      let found = central.peripheral(discovery.identifier)
    else { return }
    stopScan()
    effort.stepTimer?.cancel()
    releasePeripheral()
    connect(to: found)
  }

  private func isAcceptable(_ discovery: Discovery) -> Bool {
    guard discovery.advertisement.isConnectable != false, discovery.identifier != peripheral?.identifier,
      effort?.rejected.contains(discovery.identifier) == false
    else { return false }
    guard central.isTaken(discovery.identifier, by: self) else { return true }
    central.passOver(discovery.identifier)
    return false
  }

  /// The connected device failed the identity check: tries another device, if the target's rule allows that.
  func reject(_ error: SessionError) {
    guard let effort, let peripheral else { return }
    if case .identifier = target.rule { return dropLink(error) }
    effort.rejected.insert(peripheral.identifier)
    effort.lastError = error
    abandonAttempt()
    emit(.attemptFailed(number: effort.attempts, error))
    attempt()
  }

  /// Called when a device that another session had is free.
  func searchAgain() {
    guard effort?.scan != nil else { return }
    stopScan()
    search()
  }

  func stopScan() {
    guard let scan = effort?.scan else { return }
    effort?.scan = nil
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
    guard peripheral === self.peripheral, !isConnected, let effort, state == .connecting else { return }
    isConnected = true
    stopScan()
    effort.stepTimer?.cancel()
    effort.hintTimer?.cancel()
    emit(.connected(effort.origin))
    prepare()
  }

  func didFailToConnect(_ peripheral: CBPeripheral, _ error: (any Error)?) {
    guard peripheral === self.peripheral, !isConnected else { return }
    if state == .disconnecting { return disconnectCompleted() }
    attemptFailed(SessionError(.notConnected, "connecting to the device failed", underlying: error))
  }

  /// The next attempt follows after a pause, unless the error cannot be solved by another attempt.
  func attemptFailed(_ error: SessionError) {
    guard let effort else { return }
    effort.lastError = error
    abandonAttempt()
    emit(.attemptFailed(number: effort.attempts, error))
    switch error.underlying {
    case CBError.peerRemovedPairingInformation?: return stop(.bondLost)
    default: if error.code == .notVerified { return stop(.notVerified) }
    }
    effort.failures += 1
    enter(.waiting)
    let pause = configuration.policy.backOff.pause(
      afterFailures: effort.failures, chance: Double.random(in: 0..<1, using: &central.chance))
    effort.stepTimer = call(after: pause) { [weak effort] core in
      if effort != nil, core.effort === effort, core.state == .waiting { core.attempt() }
    }
  }

  /// Ends the current attempt. A link is disconnected without waiting for the callback.
  func abandonAttempt() {
    stopScan()
    effort?.stepTimer?.cancel()
    closeLink(effort?.lastError ?? SessionError(.notConnected, "the attempt failed"))
    releasePeripheral()
  }

  /// Stops using the peripheral and cancels its connection.
  func releasePeripheral() {
    guard let peripheral else { return }
    self.peripheral = nil
    isConnected = false
    if peripheral.delegate === self { peripheral.delegate = nil }
    if peripheral.state != .disconnected, central.manager.state == .poweredOn {
      central.manager.cancelPeripheralConnection(peripheral)
    }
    // Last, because another session may take the device immediately.
    central.detach(self, from: peripheral.identifier)
  }

  private func cancelIfNoCallerWaits() {
    guard let effort, effort.origin == .user, effort.waiters.allSatisfy(\.isOver) else { return }
    disconnect(nil)
  }

  func becomeReady() {
    guard let effort, let peripheral else { return }
    target.identifier = peripheral.identifier
    remember(peripheral)
    effort.stopTimers()
    self.effort = nil
    enter(.ready)
    emit(.ready(effort.origin))
    for waiter in effort.waiters { waiter.succeed(()) }
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
