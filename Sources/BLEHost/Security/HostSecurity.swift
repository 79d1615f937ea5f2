import BLECore
import BLECrypto
import BLEPairing
import BLEWire

/// The security state that all links of a stack share: the bonds of its adapter, resolved private addresses, and sign counters. On
/// the loop.
final class HostSecurity {
  let local: LocalSecurity
  /// From any thread.
  let store: any BondStore
  let log: Logger
  private let entropy: any EntropySource
  /// Runs calls of the store that wait for the disk.
  private let files: FileQueue
  /// Changes of the bonds that wait for the one being written.
  private var waiting: [(_ done: @escaping () -> Void) -> Void] = []
  private var isChanging = false
  var bondLimit: Int
  /// The identity address to which the bonds belong; `nil` before the adapter is ready.
  private(set) var adapter: DeviceAddress?
  var records: BondRecords
  var identities = IdentityTable()
  /// Called when bonds were added or removed.
  var bondsDidChange: (() -> Void)?
  /// The out-of-band data of this device, for the next pairing.
  var outOfBandData: LocalOutOfBandData?
  /// Returns whether the device with this identity is connected.
  var isConnected: (DeviceAddress) -> Bool = { _ in false }
  /// The devices that were bonded by this process.
  private var bondedHere: Set<DeviceAddress> = []
  /// The sign counters reserved for each device: the next one, and the end of the reserved range.
  var signCounters: [DeviceAddress: (next: UInt32, end: UInt32)] = [:]

  /// How many sign counters are reserved at a time, so that not each signed command waits for the disk. A crash loses the unused
  /// ones.
  static let signCounterBlock: UInt32 = 64

  /// The last sign counter accepted from each peer in this process, and the counter stored as accepted.
  var acceptedCounters: [DeviceAddress: (last: UInt32, end: UInt32)] = [:]

  /// How many of a peer's sign counters are stored as accepted in advance, so that not each signed command waits for the disk. After
  /// a crash the peer's commands within this range are refused: they cannot be distinguished from replays.
  static let acceptedCounterBlock: UInt32 = 16

  /// - Parameters:
  ///   - loop: the stack's.
  ///   - origin: of the jobs with results of the store.
  init(
    options: HostOptions, entropy: any EntropySource, store: any BondStore, loop: any StackLoop, origin: JobOrigin,
    log: Logger
  ) {
    self.store = store
    files = FileQueue(loop: loop, origin: origin, label: "swift-corebluetooth.keys")
    self.log = log
    self.entropy = entropy
    bondLimit = options.bondLimit
    let key = SecretKey.random(entropy)
    records = BondRecords(identityResolvingKey: key)
    local = LocalSecurity(
      policy: options.security,
      identity: LocalIdentity(address: DeviceAddress(0, kind: .public), identityResolvingKey: key), entropy: entropy)
    local.bonds = self
  }

  /// Loads the bonds of the adapter, which is ready, by its identity address; then calls `then`.
  func begin(as identity: DeviceAddress, _ then: @escaping () -> Void) {
    let newKey = records.identityResolvingKey
    ask({ $0.open(identity, newKey: newKey) }) { [self] records in
      adapter = identity
      self.records = records
      signCounters = [:]
      acceptedCounters = [:]
      local.identity = LocalIdentity(address: identity, identityResolvingKey: records.identityResolvingKey)
      bondsChanged()
      then()
    }
  }

  // MARK: The store

  /// Calls a store that waits for the disk on another queue, so that the loop does not wait; a store in memory is called directly.
  private func ask<Answer: Sendable>(
    _ question: @escaping @Sendable (any BondStore) -> Answer, _ completion: @escaping (Answer) -> Void
  ) {
    if !store.waitsForDisk { return completion(question(store)) }
    files.perform({ [store] in question(store) }, completion)
  }

  /// Changes the store. `completion` is called when the change outlives this process, or with the error.
  func write(
    _ change: @escaping @Sendable (any BondStore) throws(BondStoreError) -> Void,
    _ completion: @escaping (BondStoreError?) -> Void
  ) {
    ask(
      { store -> BondStoreError? in
        do throws(BondStoreError) {
          try change(store)
          return nil
        } catch {
          return error
        }
      }, completion)
  }

  /// The number of queued changes.
  var waitingChanges: Int { waiting.count }

  /// Runs a change when those before it are done, immediately if there are none: each one depends on the results of the others.
  func inTurn(_ change: @escaping (_ done: @escaping () -> Void) -> Void) {
    waiting.append(change)
    if !isChanging { takeTurn() }
  }

  private func takeTurn() {
    guard !waiting.isEmpty else { return }
    isChanging = true
    let change = waiting.removeFirst()
    change { [self] in
      isChanging = false
      takeTurn()
    }
  }

  /// Calls `completion` when all changes so far are done.
  func afterWriting(_ completion: @escaping () -> Void) {
    inTurn { [self] done in
      ask({ _ in }) { _ in
        done()
        completion()
      }
    }
  }

  /// Returns when all changes given to the store outlive this process. From any thread but the loop's.
  func flush() {
    files.wait()
    store.flush()
  }

  // MARK: Bonds

  func bond(of identity: DeviceAddress) -> Bond? { records.bonds.first { $0.identity == identity } }

  /// Takes over changes of the bonds by other processes.
  func refresh() {
    guard let adapter, let bonds = store.externalChanges(of: adapter) else { return }
    records.bonds = bonds
    bondsChanged()
  }

  func hasRoom(for identity: DeviceAddress?) -> Bool { makingRoom(for: identity) != nil }

  /// Returns the bonds to remove for the keys of another device: the oldest that are unauthenticated, so that any device could have
  /// made them, unused since, and not connected. `nil` if there is no room.
  private func makingRoom(for identity: DeviceAddress?) -> [DeviceAddress]? {
    if let identity, bond(of: identity) != nil { return [] }
    let count = records.bonds.count - bondLimit + 1
    if count <= 0 { return [] }
    let leaving = records.bonds.lazy.filter { [self] bond in
      bond.isUnused && !bond.keys.security.isAuthenticated && !isConnected(bond.identity)
    }.prefix(count).map(\.identity)
    return leaving.count == count ? Array(leaving) : nil
  }

  /// Stores the keys of a pairing. `completion` is called with `nil` when they outlive this process, else with the failure.
  ///
  /// - Parameters:
  ///   - isRequestedLocally: whether this side requested the pairing.
  ///   - isUnconfirmed: whether this side sends its keys last, after they are stored.
  func keep(
    _ result: PairingResult, isRequestedLocally: Bool, isUnconfirmed: Bool = false,
    _ completion: @escaping (PairingFailure?) -> Void
  ) {
    inTurn { [self] done in
      let answer = { (failure: PairingFailure?) in
        completion(failure)
        done()
      }
      guard let adapter, var bond = Bond(withoutForeignKey(result)) else { return answer(.storageFailed) }
      guard let leaving = makingRoom(for: bond.identity) else { return answer(.tooManyBonds) }
      bond.isUnused = !isRequestedLocally && self.bond(of: bond.identity)?.isUnused ?? true
      bond.isUnconfirmed = isUnconfirmed
      let kept = bond
      write({ store throws(BondStoreError) in try store.keep(kept, of: adapter) }) { [self] error in
        if let error {
          log.log(.error, "\(error): the keys of \(kept.identity) could not be stored, and the pairing fails")
          return answer(.storageFailed)
        }
        signCounters[kept.identity] = nil
        acceptedCounters[kept.identity] = nil
        bondedHere.insert(kept.identity)
        records.put(kept)
        makeRoom(leaving)
        bondsChanged()
        answer(nil)
      }
    }
  }

  /// Removes bonds once the new keys are stored: a failed pairing removes none.
  private func makeRoom(_ leaving: [DeviceAddress]) {
    if leaving.isEmpty { return }
    remove(leaving) { [self] error in
      if let error {
        log.log(.error, "\(error): unused bonds could not be removed to make room")
      } else {
        log.log(.notice, "removed the unused bonds with \(leaving) to make room")
      }
    }
  }

  /// Records that a link was encrypted with the keys of this bond.
  func bondWasUsed(_ identity: DeviceAddress) {
    if bond(of: identity)?.isUnused == true { update(identity) { $0.isUnused = false } }
    bondWasConfirmed(identity)
  }

  /// Records that the peer has the keys of this bond.
  func bondWasConfirmed(_ identity: DeviceAddress) {
    if bond(of: identity)?.isUnconfirmed == true { update(identity) { $0.isUnconfirmed = false } }
  }

  /// Whether this device was bonded by this process.
  func isNew(_ identity: DeviceAddress) -> Bool { bondedHere.contains(identity) }

  /// Returns the result without a resolving key that another bonded device already has: two devices with the same key could not be
  /// distinguished.
  private func withoutForeignKey(_ result: PairingResult) -> PairingResult {
    guard let key = result.peerIdentityResolvingKey,
      records.bonds.contains(where: {
        $0.identity != result.peerIdentity && $0.keys.peerIdentityResolvingKey == key
      })
    else { return result }
    log.log(.warning, "a device distributed the resolving key of another bonded device: the key is not used")
    return PairingResult(
      security: result.security, isBonded: result.isBonded, peerIdentity: result.peerIdentity,
      keyAsCentral: result.keyAsCentral, keyAsPeripheral: result.keyAsPeripheral,
      localSigningKey: result.localSigningKey, peerSigningKey: result.peerSigningKey)
  }

  /// Changes data of a bond other than its keys.
  func update(_ identity: DeviceAddress, _ body: (inout Bond) -> Void) {
    guard let adapter, let index = records.bonds.firstIndex(where: { $0.identity == identity }) else { return }
    body(&records.bonds[index])
    store.update(records.bonds[index], of: adapter)
  }

  /// - Parameters:
  ///   - chosen: the devices to remove; `nil` for all that are bonded when the changes before this one are done.
  ///   - completion: called with `nil`, or with the error for which the bonds were not removed.
  func remove(_ chosen: [DeviceAddress]?, _ completion: @escaping (BondStoreError?) -> Void) {
    inTurn { [self] done in
      let removed = chosen ?? records.bonds.map(\.identity)
      guard let adapter else {
        completion(nil)
        return done()
      }
      write({ store throws(BondStoreError) in try store.remove(removed, of: adapter) }) { [self] error in
        if error == nil {
          records.remove(removed)
          for identity in removed {
            signCounters[identity] = nil
            acceptedCounters[identity] = nil
          }
          bondedHere.subtract(removed)
          bondsChanged()
        }
        completion(error)
        done()
      }
    }
  }

  private func bondsChanged() {
    identities.setBonds(records.bonds)
    bondsDidChange?()
  }
}

extension HostSecurity: BondDirectory {
  func security(ofBondWith identity: DeviceAddress) -> PairingSecurity? { bond(of: identity)?.keys.security }
}

extension SecurityPolicy {
  /// Returns the policy with the capabilities of an agent.
  func answered(by agent: any PairingAgent) -> SecurityPolicy {
    var policy = self
    policy.ioCapability = SMPIOCapability(rawValue: agent.capability.rawValue)
    if agent.wantsAuthentication { policy.wantsAuthentication = true }
    return policy
  }
}
