import BLECore

/// How far the counters of signed commands have got (Core, Vol 3 Part H 2.4.5), over crashes as well: the store is always ahead of
/// what was used and of what was accepted.
extension HostSecurity {
  /// Signed commands of peers that may wait for the disk. A peer sends a command without waiting for an answer to the last.
  private static var acceptanceLimit: Int { 64 }

  /// Gives a sign counter that was never used for this device, in this process or another; `nil` where there is none.
  func takeSignCounter(for identity: DeviceAddress, _ completion: @escaping (UInt32?) -> Void) {
    inTurn { [self] done in
      let answer = { (counter: UInt32?) in
        completion(counter)
        done()
      }
      guard let adapter, var bond = bond(of: identity) else { return answer(nil) }
      if let counter = signCounters[identity], counter.next < counter.end {
        signCounters[identity] = (counter.next + 1, counter.end)
        return answer(counter.next)
      }
      let first = bond.signing.nextLocal
      let (end, overflow) = first.addingReportingOverflow(Self.signCounterBlock)
      if overflow { return answer(nil) }
      bond.signing.nextLocal = end
      keepCounters(of: bond, adapter) { [self] error in
        if let error {
          log.log(.error, "\(error): nothing can be signed")
          return answer(nil)
        }
        signCounters[identity] = (first + 1, end)
        answer(first)
      }
    }
  }

  /// Takes the counter of a peer's signed command whose signature is right. False: it was accepted before, in this process or
  /// another, or it can't be written that it is accepted now, and a replay after a crash could not be told from it.
  func accept(_ counter: UInt32, of identity: DeviceAddress, _ completion: @escaping (Bool) -> Void) {
    if waitingChanges >= Self.acceptanceLimit {
      log.log(.warning, "too many signed commands wait for the disk: one of \(identity) is not accepted")
      return completion(false)
    }
    inTurn { [self] done in
      let answer = { (isAccepted: Bool) in
        completion(isAccepted)
        done()
      }
      guard let adapter, var bond = bond(of: identity) else { return answer(false) }
      let stored = bond.signing.lastPeer
      // What another process has written since then counts more than what this one remembers.
      let own = acceptedCounters[identity].flatMap { $0.end == stored ? $0 : nil }
      if let last = own?.last ?? stored, counter <= last { return answer(false) }
      if let own, counter <= own.end {
        acceptedCounters[identity] = (counter, own.end)
        return answer(true)
      }
      let (end, overflow) = counter.addingReportingOverflow(Self.acceptedCounterBlock - 1)
      let last = overflow ? UInt32.max : end
      bond.signing.lastPeer = last
      keepCounters(of: bond, adapter) { [self] error in
        if let error {
          log.log(.error, "\(error): a signed command of \(identity) is not accepted")
          return answer(false)
        }
        acceptedCounters[identity] = (counter, last)
        answer(true)
      }
    }
  }

  /// A link has ended on which signed commands may have come: what was written ahead and not used is taken back, so that a process
  /// that ends later, in whatever way, refuses nothing that was never accepted.
  func settleAcceptedCounter(of identity: DeviceAddress) {
    inTurn { [self] done in
      guard let adapter, var bond = bond(of: identity),
        let accepted = acceptedCounters.removeValue(forKey: identity),
        bond.signing.lastPeer == accepted.end, accepted.last < accepted.end
      else { return done() }
      bond.signing.lastPeer = accepted.last
      keepCounters(of: bond, adapter) { [self] error in
        if let error { log.log(.warning, "\(error): the next signed commands of \(identity) are not accepted") }
        done()
      }
    }
  }

  /// The bond's counters hold here as soon as they are written.
  private func keepCounters(
    of bond: Bond, _ adapter: DeviceAddress, _ completion: @escaping (BondStoreError?) -> Void
  ) {
    write({ store throws(BondStoreError) in try store.keepCounters(of: bond, of: adapter) }) { [self] error in
      if error == nil { _ = records.putCounters(of: bond) }
      completion(error)
    }
  }
}
