import BLECore
import BLECrypto
import Synchronization

/// Where the bonds of an adapter are kept.
///
/// A store may be shared by several processes and several adapters: bonds belong to the identity address of the adapter that
/// made them. `Sendable`: every call may come from any thread. Where `waitsForDisk`, only `update`, `news` and `watch` may be called
/// on a stack's loop: the others wait for the disk, and for other processes.
public protocol BondStore: AnyObject, Sendable {
  /// Whether calls may take long.
  var waitsForDisk: Bool { get }
  /// What is kept for the adapter with this identity. Where nothing is, `newKey` becomes its identity resolving key.
  func open(_ adapter: DeviceAddress, newKey: SecretKey) -> BondRecords
  /// Keeps `bond` in place of what was kept of its identity. When it returns the bond outlives this process.
  /// - Throws: what was kept before is as it was.
  func keep(_ bond: Bond, of adapter: DeviceAddress) throws(BondStoreError)
  /// Keeps the sign counters of `bond`, and nothing else of it. When it returns they outlive this process.
  /// - Throws: also where the bond is gone, or has other keys.
  func keepCounters(of bond: Bond, of adapter: DeviceAddress) throws(BondStoreError)
  /// Keeps what has changed in a bond besides its keys. Returns at once; the writing may happen later. Nothing is kept of a
  /// device whose bond is gone.
  func update(_ bond: Bond, of adapter: DeviceAddress)
  func remove(_ identities: [DeviceAddress], of adapter: DeviceAddress) throws(BondStoreError)
  /// The bonds as other processes have left them since the last call or `open`; `nil` where nothing has changed.
  func news(of adapter: DeviceAddress) -> [Bond]?
  /// Calls `changed`, from any thread, whenever there may be news, as far as that can be told; also for changes of this process.
  func watch(_ changed: @escaping @Sendable () -> Void)
  /// Returns when everything is where it survives this process.
  func flush()
}

extension BondStore {
  public func watch(_ changed: @escaping @Sendable () -> Void) {}
}

/// What a `BondStore` holds for one adapter.
public struct BondRecords: Sendable {
  /// Resolves the private addresses of this adapter.
  public var identityResolvingKey: SecretKey
  /// Oldest first, each identity once.
  public var bonds: [Bond]

  public init(identityResolvingKey: SecretKey, bonds: [Bond] = []) {
    self.identityResolvingKey = identityResolvingKey
    self.bonds = bonds
  }

  /// Puts a bond in the place of the one of its identity, or at the end.
  mutating func put(_ bond: Bond) {
    if let index = bonds.firstIndex(where: { $0.identity == bond.identity }) {
      bonds[index] = bond
    } else {
      bonds.append(bond)
    }
  }

  /// Puts everything but the keys of `bond` in its place, where its keys are still the ones that are kept. What waited to be written
  /// may be older than what was kept since: sign counters never go back by it.
  mutating func update(_ bond: Bond) {
    guard let index = bonds.firstIndex(where: { $0.identity == bond.identity }),
      bonds[index].keys.hasSameKeys(as: bond.keys)
    else { return }
    let kept = bonds[index].signing
    bonds[index] = bond
    bonds[index].signing.nextLocal = max(kept.nextLocal, bond.signing.nextLocal)
    if let last = kept.lastPeer { bonds[index].signing.lastPeer = max(last, bond.signing.lastPeer ?? 0) }
  }

  /// - Returns: whether there was such a bond.
  mutating func putCounters(of bond: Bond) -> Bool {
    guard let index = bonds.firstIndex(where: { $0.identity == bond.identity }),
      bonds[index].keys.hasSameKeys(as: bond.keys)
    else { return false }
    bonds[index].signing = bond.signing
    return true
  }

  mutating func remove(_ identities: [DeviceAddress]) { bonds.removeAll { identities.contains($0.identity) } }
}

extension PairingResult {
  /// Whether both came from one pairing.
  func hasSameKeys(as other: PairingResult) -> Bool {
    keyAsCentral == other.keyAsCentral && keyAsPeripheral == other.keyAsPeripheral
      && localSigningKey == other.localSigningKey && peerSigningKey == other.peerSigningKey
  }
}

/// Why bonds could not be kept.
public struct BondStoreError: Error, CustomStringConvertible {
  public let description: String
  public init(_ description: String) { self.description = description }

  static func gone(_ bond: Bond) -> BondStoreError { BondStoreError("the bond with \(bond.identity) is gone") }
}

/// A store that ends with its process, for simulations and tests.
public final class MemoryBondStore: BondStore {
  private struct State {
    var records: [DeviceAddress: BondRecords] = [:]
    var failure: BondStoreError?
    /// What was updated and not written yet; `nil`: everything is written at once.
    var waiting: [DeviceAddress: [DeviceAddress: Bond]]?

    mutating func write() {
      for (adapter, bonds) in waiting ?? [:] { for bond in bonds.values { records[adapter]?.update(bond) } }
      if waiting != nil { waiting = [:] }
    }
  }

  private let state = Mutex(State())

  public init() {}

  public var waitsForDisk: Bool { false }

  /// What keeping and removing fails with from now on, as on a full disk; `nil`: they succeed again.
  public func setFailure(_ failure: BondStoreError?) { state.withLock { $0.failure = failure } }

  /// Whether updates wait from now on until `flush()`, and are lost to a process that opens the store before: what a crash does to
  /// a store on a disk.
  public func setWritesLate(_ isLate: Bool) {
    state.withLock { state in
      state.write()
      state.waiting = isLate ? [:] : nil
    }
  }

  /// All keys become others than they were, as in a damaged file that is whole all the same.
  public func corrupt() {
    state.withLock { state in
      for (adapter, records) in state.records {
        var corrupted = records
        corrupted.bonds = records.bonds.compactMap { bond in
          let wrong = LongTermKey(key: SecretKey(AESBlock(high: 0x0123, low: 0x4567)))
          let keys = bond.keys
          return Bond(
            PairingResult(
              security: keys.security, isBonded: true, peerIdentity: keys.peerIdentity, keyAsCentral: wrong,
              keyAsPeripheral: wrong, peerIdentityResolvingKey: keys.peerIdentityResolvingKey))
        }
        state.records[adapter] = corrupted
      }
    }
  }

  public func open(_ adapter: DeviceAddress, newKey: SecretKey) -> BondRecords {
    state.withLock { state in
      _ = state.waiting?.removeValue(forKey: adapter)
      if let records = state.records[adapter] { return records }
      let records = BondRecords(identityResolvingKey: newKey)
      state.records[adapter] = records
      return records
    }
  }

  public func keep(_ bond: Bond, of adapter: DeviceAddress) throws(BondStoreError) {
    try change(adapter) { $0.put(bond) }
  }

  public func keepCounters(of bond: Bond, of adapter: DeviceAddress) throws(BondStoreError) {
    var isThere = false
    try change(adapter) { isThere = $0.putCounters(of: bond) }
    if !isThere { throw .gone(bond) }
  }

  public func update(_ bond: Bond, of adapter: DeviceAddress) {
    state.withLock { state in
      if state.waiting == nil {
        state.records[adapter]?.update(bond)
      } else {
        state.waiting?[adapter, default: [:]][bond.identity] = bond
      }
    }
  }

  public func remove(_ identities: [DeviceAddress], of adapter: DeviceAddress) throws(BondStoreError) {
    try change(adapter) { $0.remove(identities) }
  }

  private func change(_ adapter: DeviceAddress, _ body: (inout BondRecords) -> Void) throws(BondStoreError) {
    let failure = state.withLock { state in
      if let failure = state.failure { return Optional(failure) }
      if var records = state.records[adapter] {
        body(&records)
        state.records[adapter] = records
      }
      return nil
    }
    if let failure { throw failure }
  }

  public func news(of adapter: DeviceAddress) -> [Bond]? { nil }
  public func flush() { state.withLock { $0.write() } }
}
