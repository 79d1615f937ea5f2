import BLESession

/// Leases and pulses of others.
extension LeaseKeeper {
  func receive(_ lease: Lease, _ entry: LeaseEntry, _ now: Duration) {
    if let known = entry.known, lease.rank <= known.rank {
      if lease.rank == known.rank {
        (entry.isConfirmed, entry.isReturned, entry.repairAt) = (true, true, nil)
      } else if lease.holder != known.holder || lease.epoch != known.epoch || now - entry.renewed > rules.repair {
        // Otherwise it is the message before, which was under way.
        overwritten(entry, now)
      }
      return review(entry, now)
    }
    entry.isConfirmed = true
    if let claim = entry.claim, entry.role == .claiming {
      if lease.rank == claim.rank {
        take(claim, entry, now)
        entry.publishedAt = now
        enter(entry, .settling, now)
        return review(entry, now)
      }
      // A lesser one than the claim does not end it: the claim is on its way.
      if lease.rank > claim.rank { enter(entry, .watching, now) }
    } else if lease.holder == identity, let known = entry.known, known.holder == identity, known.epoch == lease.epoch {
      // No other process may write under this instance. What was written is not taken over, but its number is passed by.
      entry.known?.revision = lease.revision
      overwritten(entry, now)
      return review(entry, now)
    } else if entry.role == .settling {
      enter(entry, .watching, now)
    } else if entry.isActive {
      let end = LeaseEnd.superseded(by: lease.holder)
      close(entry, end)
      leave(entry, end, now)
    }
    take(lease, entry, now)
    review(entry, now)
  }

  /// A lease is the greatest that is known.
  private func take(_ lease: Lease, _ entry: LeaseEntry, _ now: Duration) {
    let before = entry.known
    if before?.epoch != lease.epoch || before?.holder != lease.holder {
      entry.epochSince = now
      entry.offers = 0
      entry.claimAt = nil
      entry.strongerSince = nil
      entry.sequence = 0
    }
    entry.known = lease
    entry.isReturned = true
    entry.renewed = now
    entry.repairAt = nil
    peers.revive(lease.holder)
    guard before?.holder.gateway != lease.holder.gateway else { return }
    listen(to: lease.holder.gateway)
    if let before { stopListening(to: before.holder.gateway) }
  }

  func listen(to gateway: String) {
    guard gateway != identity.gateway else { return }
    if listened[gateway] == nil { actions.append(.follow(.pulse(gateway: gateway))) }
    listened[gateway, default: 0] += 1
  }

  func stopListening(to gateway: String) {
    guard let count = listened[gateway] else { return }
    listened[gateway] = count > 1 ? count - 1 : nil
    if count <= 1 { actions.append(.unfollow(.pulse(gateway: gateway))) }
  }

  func receive(_ pulse: GatewayPulse, _ now: Duration) {
    if pulse.sender == identity { return answered(pulse.number, now) }
    if pulse.sender.gateway == identity.gateway { rivalHeard(pulse, now) }
    guard peers.take(pulse, at: now, rules) else {
      if pulse.isEnd { lookAgain(at: pulse.sender, now) }
      return
    }
    // It was silent, or cut off, and may believe in leases that are over.
    for entry in order where entry.isActive && entry.takenFrom == pulse.sender {
      overwritten(entry, now)
      review(entry, now)
    }
  }

  /// The broker has handed over what waited at it before this pulse.
  private func answered(_ number: Int, _ now: Duration) {
    let before = (isAnswered: isAnswered(now), heardAt: own.heardAt)
    own.cameBack(number)
    guard !before.isAnswered, isAnswered(now) else { return }
    if now - before.heardAt >= rules.expires { attentiveSince = now }
    reviewAll(now)
  }

  /// The broker has published the last will of a gateway, which does not say of which process: its leases expire soon, unless pulses come.
  public func gatewayIsGone(_ gateway: String, at now: Duration) {
    guard !hasEnded, gateway != identity.gateway else { return }
    attend(now)
    let holders = Set(order.compactMap { $0.known?.holder }).filter { $0.gateway == gateway }
    for holder in holders.sorted() {
      _ = peers.take(GatewayPulse(sender: holder, number: 0, isEnd: true), at: now, rules)
      lookAgain(at: holder, now)
    }
  }

  /// The leases of a gateway expire earlier than they did.
  private func lookAgain(at holder: GatewayInstance, _ now: Duration) {
    for entry in order where entry.known?.holder == holder { review(entry, now) }
  }

  func sendPulse(_ now: Duration) {
    pulseAt = now + rules.pulse
    guard !isYielding else { return }
    actions.append(.publish(.pulse(GatewayPulse(sender: identity, number: own.next(at: now)))))
  }

  // Two gateways of one name

  private func rivalHeard(_ pulse: GatewayPulse, _ now: Duration) {
    if pulse.isEnd {
      // The end of an earlier process, or of the rival.
      if rival?.sender == pulse.sender { rival?.heardAt = now - rules.expires }
      return endYieldingIfSilent(now)
    }
    guard let before = rival, before.sender == pulse.sender, now - before.heardAt <= rules.expires else {
      // One pulse may be of an earlier process, and late.
      if rival == nil || now - (rival?.heardAt ?? now) > rules.expires || pulse.sender > (rival?.sender ?? identity) {
        rival = PulseTable.Peer(sender: pulse.sender, number: pulse.number, heardAt: now)
      }
      return
    }
    guard pulse.number > before.number else { return }
    rival?.number = pulse.number
    rival?.heardAt = now
    guard !before.isReported else { return }
    rival?.isReported = true
    actions.append(.report(.nameTaken(by: pulse.sender)))
    guard identity < pulse.sender else { return }
    for entry in order where entry.isActive {
      close(entry, .nameTaken)
      release(entry, .nameTaken, now)
    }
    for entry in order where entry.role != .watching { enter(entry, .watching, now) }
    isYielding = true
  }

  func endYieldingIfSilent(_ now: Duration) {
    guard let rival, now - rival.heardAt >= rules.expires else { return }
    self.rival = nil
    if rival.isReported { actions.append(.report(.nameFree)) }
    isYielding = false
  }
}
