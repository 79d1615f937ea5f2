import BLESession

/// Own leases: opening, announcing, handing over, releasing.
extension LeaseKeeper {
  func open(_ entry: LeaseEntry, _ now: Duration) {
    guard let known = entry.known else { return }
    entry.sequence = 0
    entry.subscriptions = known.subscriptions
    enter(entry, .opening, now)
    actions.append(.follow(.offer(device: entry.device)))
    actions.append(.open(device: entry.device, epoch: known.epoch, subscriptions: known.subscriptions))
  }

  func hold(_ entry: LeaseEntry, _ now: Duration) {
    if rules.isolation == .letGo, now >= own.heardAt + rules.expires {
      close(entry, .isolated)
      return leave(entry, .isolated, now)
    }
    guard isConnected, now >= entry.lookUntil else { return }
    if !entry.isConfirmed || now >= nextPublication(of: entry, now) { announce(entry, now) }
  }

  /// When the lease has to be published again: regularly, or because the strength has changed.
  func nextPublication(of entry: LeaseEntry, _ now: Duration) -> Duration {
    // Not all leases of a gateway that has just connected at the same time.
    let regular = entry.publishedAt + rules.refresh * (0.75 + 0.25 * share(entry.device))
    guard entry.role == .held, let known = entry.known else { return regular }
    let strength = entry.strength(at: now, rules)
    let hasChanged =
      if let strength, let published = known.strength { abs(strength - published) >= rules.strengthStep } else {
        (strength == nil) != (known.strength == nil)
      }
    if hasChanged { return min(regular, entry.publishedAt + rules.strengthInterval) }
    // A device that falls silent is noticed without being heard.
    guard strength != nil, let heardAt = entry.heardAt else { return regular }
    return min(regular, max(heardAt + rules.audible + .milliseconds(1), entry.publishedAt + rules.strengthInterval))
  }

  /// Publishes the own lease with a new revision.
  func announce(_ entry: LeaseEntry, successor: GatewayInstance? = nil, _ now: Duration) {
    guard var lease = entry.known, lease.holder == identity else { return }
    lease.revision += 1
    switch entry.role {
    case .held: lease.phase = .held
    case .draining: lease.phase = .draining
    case .watching, .claiming, .settling, .opening: break
    }
    lease.successor = successor ?? lease.successor
    lease.expires = rules.expires
    lease.strength = isReleased(entry) ? nil : entry.strength(at: now, rules)
    lease.subscriptions = entry.subscriptions
    publish(lease, entry, now)
  }

  private func publish(_ lease: Lease, _ entry: LeaseEntry, _ now: Duration) {
    entry.known = lease
    entry.renewed = now
    entry.publishedAt = now
    entry.isConfirmed = isConnected
    entry.isReturned = false
    entry.repairAt = nil
    if isConnected { actions.append(.publish(.lease(lease))) }
  }

  /// Something else than the greatest lease stands on the topic, or may stand there. Its author puts it back. If that one is gone,
  /// another does: the one whose time comes first.
  func overwritten(_ entry: LeaseEntry, _ now: Duration) {
    guard let known = entry.known, entry.repairAt == nil else { return }
    let earliest = entry.repairedAt.map { $0 + rules.repair } ?? now
    let others = rules.repair * (0.3 + 0.7 * share(entry.device))
    entry.repairAt = max(earliest, known.holder == identity ? now : now + others)
  }

  func repair(_ entry: LeaseEntry, _ now: Duration) {
    guard let repairAt = entry.repairAt, isConnected, now >= max(repairAt, entry.lookUntil), let known = entry.known
    else { return }
    entry.repairedAt = now
    entry.repairAt = nil
    if known.holder == identity { return announce(entry, now) }
    if !isYielding { actions.append(.publish(.lease(known))) }
  }

  func receive(_ offer: LeaseOffer, _ entry: LeaseEntry, _ now: Duration) {
    guard entry.role == .held, let known = entry.known, offer.epoch == known.epoch + 1, offer.candidate != identity
    else { return }
    if let strength = entry.strength(at: now, rules), offer.strength < strength + rules.hysteresis {
      // The candidate knows an older strength.
      if now >= entry.publishedAt + rules.strengthInterval { announce(entry, now) }
      return
    }
    enter(entry, .draining, now)
    announce(entry, successor: offer.candidate, now)
    actions.append(.drain(device: entry.device, epoch: known.epoch))
    review(entry, now)
  }

  func finishDraining(_ entry: LeaseEntry, _ now: Duration) {
    guard let successor = entry.known?.successor else { return release(entry, .requested, now) }
    close(entry, .handedOver(to: successor))
    entry.retryAt = now + rules.reserve
    release(entry, .handedOver(to: successor), now)
  }

  func fail(_ entry: LeaseEntry, _ now: Duration) {
    entry.retryAt = now + rules.retry * (1 << min(entry.failures, 6))
    entry.failures += 1
    release(entry, .failed, now)
  }

  func close(_ entry: LeaseEntry, _ end: LeaseEnd) {
    guard let epoch = entry.known?.epoch else { return }
    actions.append(.close(device: entry.device, epoch: epoch, end))
  }

  /// Ends the own part in a lease that is open, and publishes that the device is free.
  func release(_ entry: LeaseEntry, _ end: LeaseEnd, _ now: Duration) {
    leave(entry, end, now)
    publishRelease(entry, now)
  }

  func publishRelease(_ entry: LeaseEntry, _ now: Duration) {
    guard var lease = entry.known, lease.holder == identity else { return }
    lease.revision += 1
    lease.phase = .released
    lease.strength = nil
    lease.last = entry.sequence
    publish(lease, entry, now)
  }

  /// Ends the own part in a lease that is open, without a message.
  func leave(_ entry: LeaseEntry, _ end: LeaseEnd, _ now: Duration) {
    guard entry.isActive, let epoch = entry.known?.epoch else { return }
    enter(entry, .watching, now)
    actions.append(.unfollow(.offer(device: entry.device)))
    actions.append(.report(.ended(device: entry.device, epoch: epoch, end)))
  }
}
