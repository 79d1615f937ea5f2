import BLECore

/// How far the counters of signed commands have got (Core, Vol 3 Part H 2.4.5), over crashes as well: the store is always ahead of
/// what was used and of what was accepted.
extension HostSecurity {
  /// A sign counter that was never used for this device, in this process or another; `nil` where there is none.
  func takeSignCounter(for identity: DeviceAddress) -> UInt32? {
    guard let adapter, let index = records.bonds.firstIndex(where: { $0.identity == identity }) else { return nil }
    if let counter = signCounters[identity], counter.next < counter.end {
      signCounters[identity] = (counter.next + 1, counter.end)
      return counter.next
    }
    var bond = records.bonds[index]
    let first = bond.signing.nextLocal
    let (end, overflow) = first.addingReportingOverflow(Self.signCounterBlock)
    if overflow { return nil }
    bond.signing.nextLocal = end
    do throws(BondStoreError) { try store.keep(bond, of: adapter) } catch {
      log.log(.error, "\(error): nothing can be signed")
      return nil
    }
    records.bonds[index] = bond
    signCounters[identity] = (first + 1, end)
    return first
  }

  /// Takes the counter of a peer's signed command whose signature is right. False: it was accepted before, in this process or
  /// another, or it can't be written that it is accepted now, and a replay after a crash could not be told from it.
  func accept(_ counter: UInt32, of identity: DeviceAddress) -> Bool {
    guard let adapter, let index = records.bonds.firstIndex(where: { $0.identity == identity }) else { return false }
    let stored = records.bonds[index].signing.lastPeer
    // What another process has written since then counts more than what this one remembers.
    let own = acceptedCounters[identity].flatMap { $0.end == stored ? $0 : nil }
    if let last = own?.last ?? stored, counter <= last { return false }
    if let own, counter <= own.end {
      acceptedCounters[identity] = (counter, own.end)
      return true
    }
    var bond = records.bonds[index]
    let (end, overflow) = counter.addingReportingOverflow(Self.acceptedCounterBlock - 1)
    bond.signing.lastPeer = overflow ? .max : end
    do throws(BondStoreError) { try store.keep(bond, of: adapter) } catch {
      log.log(.error, "\(error): a signed command of \(identity) is not accepted")
      return false
    }
    records.bonds[index] = bond
    acceptedCounters[identity] = (counter, bond.signing.lastPeer ?? counter)
    return true
  }

  /// A link has ended on which signed commands may have come: what was written ahead and not used is taken back, so that a process
  /// that ends later, in whatever way, refuses nothing that was never accepted.
  func settleAcceptedCounter(of identity: DeviceAddress) {
    guard let adapter, let index = records.bonds.firstIndex(where: { $0.identity == identity }),
      let accepted = acceptedCounters.removeValue(forKey: identity),
      records.bonds[index].signing.lastPeer == accepted.end, accepted.last < accepted.end
    else { return }
    var bond = records.bonds[index]
    bond.signing.lastPeer = accepted.last
    do throws(BondStoreError) { try store.keep(bond, of: adapter) } catch {
      log.log(.warning, "\(error): the next signed commands of \(identity) are not accepted")
      return
    }
    records.bonds[index] = bond
  }
}
