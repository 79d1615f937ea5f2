import BLECore

/// The counters of signed commands (Core, Vol 3 Part H 2.4.5). They survive crashes: the stored counters are always at or beyond
/// those used and those accepted.
extension HostSecurity {
  /// The most signed commands of peers that may wait for the disk. A peer can send any number, because commands have no response.
  private static var acceptanceLimit: Int { 64 }

  /// Provides a sign counter never used for this device, in this process or another; `nil` if there is none.
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
          log.log(.error, "\(error): a command cannot be signed")
          return answer(nil)
        }
        signCounters[identity] = (first + 1, end)
        answer(first)
      }
    }
  }

  /// Accepts or refuses the counter of a peer's signed command with a valid signature. It is refused if it was accepted before, in
  /// this process or another, or if it cannot be stored, because a replay after a crash could not be detected then.
  func accept(_ counter: UInt32, of identity: DeviceAddress, _ completion: @escaping (Bool) -> Void) {
    if waitingChanges >= Self.acceptanceLimit {
      log.log(.warning, "too many signed commands wait for the disk: one from \(identity) is refused")
      return completion(false)
    }
    inTurn { [self] done in
      let answer = { (isAccepted: Bool) in
        completion(isAccepted)
        done()
      }
      guard let adapter, var bond = bond(of: identity) else { return answer(false) }
      let stored = bond.signing.lastPeer
      // A counter that another process has written since takes precedence over this process's.
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
          log.log(.error, "\(error): a signed command from \(identity) is refused")
          return answer(false)
        }
        acceptedCounters[identity] = (counter, last)
        answer(true)
      }
    }
  }

  /// Stores the last accepted counter when a link has ended, in place of the reserved one, so that a later end of the process, even
  /// a crash, does not cause refusals of unused counters.
  func settleAcceptedCounter(of identity: DeviceAddress) {
    inTurn { [self] done in
      guard let adapter, var bond = bond(of: identity),
        let accepted = acceptedCounters.removeValue(forKey: identity),
        bond.signing.lastPeer == accepted.end, accepted.last < accepted.end
      else { return done() }
      bond.signing.lastPeer = accepted.last
      keepCounters(of: bond, adapter) { [self] error in
        if let error { log.log(.warning, "\(error): the next signed commands from \(identity) will be refused") }
        done()
      }
    }
  }

  /// Stores the bond's counters, and takes them over once they are written.
  private func keepCounters(
    of bond: Bond, _ adapter: DeviceAddress, _ completion: @escaping (BondStoreError?) -> Void
  ) {
    write({ store throws(BondStoreError) in try store.keepCounters(of: bond, of: adapter) }) { [self] error in
      if error == nil { _ = records.putCounters(of: bond) }
      completion(error)
    }
  }
}
