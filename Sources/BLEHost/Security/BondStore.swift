import BLECore
import BLECrypto
import Synchronization

/// A persistent store for the bonds of adapters.
///
/// A store may be shared by several processes and several adapters: bonds belong to the identity address of the adapter that
/// made them. `Sendable`: every method may be called from any thread. If `waitsForDisk`, only `update`, `externalChanges` and `watch`
/// may be called on a stack's loop: the others wait for the disk and for other processes.
public protocol BondStore: AnyObject, Sendable {
  /// Whether calls wait for the disk.
  var waitsForDisk: Bool { get }
  /// Returns the records of the adapter with this identity. If there are none, `newKey` becomes its identity resolving key.
  func open(_ adapter: DeviceAddress, newKey: SecretKey) -> BondRecords
  /// Stores `bond`, replacing the one of its identity. When it returns, the bond outlives this process.
  /// - Throws: if it could not be stored; the previous bond is unchanged.
  func keep(_ bond: Bond, of adapter: DeviceAddress) throws(BondStoreError)
  /// Stores the sign counters of `bond`, and nothing else of it. When it returns, they outlive this process.
  /// - Throws: also if the bond was removed or has other keys.
  func keepCounters(of bond: Bond, of adapter: DeviceAddress) throws(BondStoreError)
  /// Stores the changes of a bond other than its keys, possibly after returning. Ignored for a device whose bond was removed.
  func update(_ bond: Bond, of adapter: DeviceAddress)
  func remove(_ identities: [DeviceAddress], of adapter: DeviceAddress) throws(BondStoreError)
  /// Returns the bonds if other processes have changed them since the last call or `open`; otherwise `nil`.
  func externalChanges(of adapter: DeviceAddress) -> [Bond]?
  /// Calls `changed`, from any thread, whenever `externalChanges` may have a result, if the system can report that; also after
  /// changes of this process.
  func watch(_ changed: @escaping @Sendable () -> Void)
  /// Returns when all updates outlive this process.
  func flush()
}

extension BondStore {
  public func watch(_ changed: @escaping @Sendable () -> Void) {}
}

/// The content of a `BondStore` for one adapter.
public struct BondRecords: Sendable {
  /// Resolves the private addresses of this adapter.
  public var identityResolvingKey: SecretKey
  /// Oldest first, at most one for each identity.
  public var bonds: [Bond]

  public init(identityResolvingKey: SecretKey, bonds: [Bond] = []) {
    self.identityResolvingKey = identityResolvingKey
    self.bonds = bonds
  }

  /// Replaces the bond of the same identity, or appends `bond`.
  package mutating func put(_ bond: Bond) {
    if let index = bonds.firstIndex(where: { $0.identity == bond.identity }) {
      bonds[index] = bond
    } else {
      bonds.append(bond)
    }
  }

  /// Replaces the bond of the same identity if it has the same keys. The update may be older than the stored sign counters, which
  /// never decrease.
  package mutating func update(_ bond: Bond) {
    guard let index = bonds.firstIndex(where: { $0.identity == bond.identity }),
      bonds[index].keys.hasSameKeys(as: bond.keys)
    else { return }
    let kept = bonds[index].signing
    bonds[index] = bond
    bonds[index].signing.nextLocal = max(kept.nextLocal, bond.signing.nextLocal)
    if let last = kept.lastPeer { bonds[index].signing.lastPeer = max(last, bond.signing.lastPeer ?? 0) }
  }

  /// - Returns: false if there is no bond with this identity and these keys.
  package mutating func putCounters(of bond: Bond) -> Bool {
    guard let index = bonds.firstIndex(where: { $0.identity == bond.identity }),
      bonds[index].keys.hasSameKeys(as: bond.keys)
    else { return false }
    bonds[index].signing = bond.signing
    return true
  }

  package mutating func remove(_ identities: [DeviceAddress]) { bonds.removeAll { identities.contains($0.identity) } }
}

extension PairingResult {
  /// Whether both are of the same pairing.
  func hasSameKeys(as other: PairingResult) -> Bool {
    keyAsCentral == other.keyAsCentral && keyAsPeripheral == other.keyAsPeripheral
      && localSigningKey == other.localSigningKey && peerSigningKey == other.peerSigningKey
  }
}

/// Why bonds could not be read or stored.
public struct BondStoreError: Error, CustomStringConvertible {
  public let description: String
  public init(_ description: String) { self.description = description }

  package static func gone(_ bond: Bond) -> BondStoreError {
    BondStoreError("the bond with \(bond.identity) was removed")
  }
}

/// A store in memory, for simulations and tests.
public final class MemoryBondStore: BondStore {
  private struct State {
    var records: [DeviceAddress: BondRecords] = [:]
    var failure: BondStoreError?
    /// The updates not written yet; `nil` if updates are written immediately.
    var waiting: [DeviceAddress: [DeviceAddress: Bond]]?

    mutating func write() {
      for (adapter, bonds) in waiting ?? [:] { for bond in bonds.values { records[adapter]?.update(bond) } }
      if waiting != nil { waiting = [:] }
    }
  }

  private let state = Mutex(State())

  public init() {}

  public var waitsForDisk: Bool { false }

  /// Sets the error of storing and removing from now on, as on a full disk; with `nil` they succeed again.
  public func setFailure(_ failure: BondStoreError?) { state.withLock { $0.failure = failure } }

  /// Whether updates wait for `flush()` from now on, and are lost if the store is opened before, as after a crash with a store on a
  /// disk.
  public func setWritesLate(_ isLate: Bool) {
    state.withLock { state in
      state.write()
      state.waiting = isLate ? [:] : nil
    }
  }

  /// Replaces all long-term keys with others, as in a damaged but well-formed file.
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

  public func externalChanges(of adapter: DeviceAddress) -> [Bond]? { nil }
  public func flush() { state.withLock { $0.write() } }
}
