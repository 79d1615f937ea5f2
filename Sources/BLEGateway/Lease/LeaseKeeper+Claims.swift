import BLESession

/// Free devices, and those whose holder hears them badly.
extension LeaseKeeper {
  func watch(_ entry: LeaseEntry, _ now: Duration) {
    let isSilent = entry.heardAt.map { now - $0 >= rules.memory } ?? false
    if isSilent, !entry.isGivenUp, isOver(entry) { return forget(entry) }
    guard isConnected, !isYielding, now >= entry.lookUntil, isAnswered(now) else { return }
    // A claim that came back too late, or a lease of which this keeper has let go without the broker: others believe in it.
    if entry.known?.holder == identity, !isReleased(entry) { return publishRelease(entry, now) }
    if isSilent || entry.isGivenUp, !isOver(entry) {
      // The broker may not have got it.
      if now >= entry.publishedAt + rules.claim || !entry.isConfirmed { publishRelease(entry, now) }
      return
    }
    if entry.isGivenUp {
      // When a pulse has come back that was sent later, a claim that was on its way would have come back as well.
      if own.heardAt > entry.since { forget(entry) }
      return
    }
    guard let strength = entry.strength(at: now, rules), engagedCount < rules.mostHeld, now >= entry.retryAt else {
      entry.claimAt = nil
      entry.strongerSince = nil
      return
    }
    guard isFree(entry, now) else {
      entry.claimAt = nil
      return considerOffer(entry, strength, now)
    }
    let wait = entry.known?.successor == identity ? .zero : contention(entry, strength)
    let claimAt = entry.claimAt ?? now + wait
    entry.claimAt = claimAt
    if now >= claimAt { claim(entry, strength, now) }
  }

  /// Whether the broker answers. A network that is cut without a sign swallows messages, and hands them over when it is whole: a claim among
  /// them would take a device from its holder, who was there all the time.
  func isAnswered(_ now: Duration) -> Bool { now < own.heardAt + rules.pulse * 1.5 }

  /// Whether the device may be claimed.
  func isFree(_ entry: LeaseEntry, _ now: Duration) -> Bool {
    guard let known = entry.known else { return true }
    guard known.phase == .released else { return now >= deadline(of: known, entry) }
    return known.successor == nil || known.successor == identity || now >= entry.renewed + rules.reserve
  }

  /// Whether no other gateway can believe that this one holds the device.
  private func isOver(_ entry: LeaseEntry) -> Bool {
    entry.known?.holder != identity || (isReleased(entry) && entry.isReturned)
  }

  func isReleased(_ entry: LeaseEntry) -> Bool { entry.known?.phase == .released }

  /// When the lease of another gateway expires if nothing more is heard of it.
  func deadline(of lease: Lease, _ entry: LeaseEntry) -> Duration {
    let peer = peers[lease.holder]
    let end = max(entry.renewed, peer?.heardAt ?? .zero, attentiveSince) + lease.expires
    return peer?.endsAt.map { min($0, end) } ?? end
  }

  /// The strongest does not wait: -40 dBm and more. Gateways that hear a device equally well wait for different times.
  private func contention(_ entry: LeaseEntry, _ strength: Double) -> Duration {
    let weakness = min(max((-40 - strength) / 60, 0), 1)
    return rules.contention * (weakness * 0.9 + 0.1 * share(entry.device))
  }

  /// A number of 0 ..< 1 that is always the same for this instance and this word (FNV-1a).
  func share(_ word: String) -> Double {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for octet in word.utf8 { hash = (hash ^ UInt64(octet)) &* 0x100_0000_01B3 }
    for octet in identity.instance.utf8 { hash = (hash ^ UInt64(octet)) &* 0x100_0000_01B3 }
    for octet in identity.gateway.utf8 { hash = (hash ^ UInt64(octet)) &* 0x100_0000_01B3 }
    hash = (hash ^ hash >> 29) &* 0x9E37_79B9_7F4A_7C15
    return Double(hash >> 11) * 0x1p-53
  }

  private func claim(_ entry: LeaseEntry, _ strength: Double, _ now: Duration) {
    let known = entry.known
    let epoch = known.map { $0.epoch + 1 } ?? max(1, rules.firstEpoch, forgottenEpoch + 1)
    guard epoch <= Lease.greatestEpoch else { return }
    entry.takenFrom = known?.phase == .released ? nil : known?.holder
    enter(entry, .claiming, now)
    let claim = Lease(
      device: entry.device, holder: identity, epoch: epoch, expires: rules.expires, strength: strength,
      subscriptions: known?.subscriptions ?? [])
    entry.claim = claim
    actions.append(.publish(.lease(claim)))
  }

  private func considerOffer(_ entry: LeaseEntry, _ strength: Double, _ now: Duration) {
    guard let known = entry.known, known.phase == .held, known.epoch < Lease.greatestEpoch,
      known.strength.map({ strength >= $0 + rules.hysteresis }) ?? true
    else { return entry.strongerSince = nil }
    entry.strongerSince = entry.strongerSince ?? now
    guard now >= offerTime(entry, known) else { return }
    entry.offerAt = now + rules.offer * (1 << min(entry.offers, 5))
    entry.offers += 1
    let offer = LeaseOffer(device: entry.device, candidate: identity, epoch: known.epoch + 1, strength: strength)
    actions.append(.publish(.offer(offer)))
  }

  /// When an offer may be made, if the device is heard better until then.
  private func offerTime(_ entry: LeaseEntry, _ known: Lease) -> Duration {
    guard let since = entry.strongerSince else { return .zero }
    guard known.strength != nil else { return max(since + rules.patience / 5, entry.offerAt) }
    return max(since + rules.patience, entry.epochSince + rules.rest, entry.offerAt)
  }

  /// Up to the next tenth of a second: so many devices of one holder that falls silent are looked at together.
  private func rounded(_ time: Duration) -> Duration {
    let tenth = Int64(100_000_000_000_000_000)
    let (seconds, rest) = time.components
    return Duration(secondsComponent: seconds, attosecondsComponent: (rest + tenth - 1) / tenth * tenth)
  }

  /// When the entry has to be looked at again.
  func nextLook(at entry: LeaseEntry, _ now: Duration) -> Duration {
    var next = rounded(now + rules.refresh)
    func consider(_ time: Duration) { if time > now { next = min(next, time) } }
    if let repairAt = entry.repairAt { consider(repairAt) }
    consider(entry.lookUntil)
    switch entry.role {
    case .watching:
      if entry.isGivenUp { consider(now + rules.pulse) }
      if let heardAt = entry.heardAt { consider(rounded(heardAt + rules.memory)) }
      consider(entry.retryAt)
      if let claimAt = entry.claimAt { consider(claimAt) }
      guard let known = entry.known else { break }
      if known.phase == .released {
        consider(entry.renewed + rules.reserve)
      } else {
        consider(rounded(deadline(of: known, entry)))
        if entry.strongerSince != nil { consider(offerTime(entry, known)) }
      }
      // There is room for one more device as soon as another one is released.
      if engagedCount >= rules.mostHeld { consider(now + rules.pulse) }
    case .claiming: consider(entry.since + rules.claim)
    case .settling: consider(entry.since + rules.settle)
    case .opening: consider(entry.since + rules.opening)
    case .held: consider(rounded(nextPublication(of: entry, now)))
    case .draining: consider(entry.since + rules.draining)
    }
    if entry.isActive, rules.isolation == .letGo { consider(own.heardAt + rules.expires) }
    return next
  }
}
