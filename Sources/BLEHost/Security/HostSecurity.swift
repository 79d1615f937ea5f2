import BLECore
import BLECrypto
import BLEPairing
import BLEWire

/// What all links of a stack share of security: the bonds of its adapter, who is behind private addresses, and who answers for
/// the user. On the loop.
final class HostSecurity {
  let local: LocalSecurity
  /// From any thread.
  let store: any BondStore
  let log: Logger
  private let entropy: any EntropySource
  /// Where the store is asked for what takes long.
  private let files: FileQueue
  /// Changes of the bonds that wait for the one that is being written.
  private var waiting: [(_ done: @escaping () -> Void) -> Void] = []
  private var isChanging = false
  var bondLimit: Int
  /// The identity address that the bonds belong to; `nil` before the adapter has been ready.
  private(set) var adapter: DeviceAddress?
  var records: BondRecords
  var identities = IdentityTable()
  /// Told when bonds have come or gone.
  var bondsDidChange: (() -> Void)?
  /// What this device has handed out by another way, for the next pairing out of band.
  var outOfBandData: LocalOutOfBandData?
  /// Whether there is a link to the device with this identity.
  var isConnected: (DeviceAddress) -> Bool = { _ in false }
  /// Whose keys were made here since this began.
  private var made: Set<DeviceAddress> = []
  /// Up to where sign counters were set aside, by whom they are for.
  var signCounters: [DeviceAddress: (next: UInt32, end: UInt32)] = [:]

  /// Sign counters are set aside by so many, so that not each signed command waits for the disk. Those that a crash leaves
  /// unused are lost.
  static let signCounterBlock: UInt32 = 64

  /// The last sign counters accepted of peers in this process, and up to where they are written as accepted.
  var acceptedCounters: [DeviceAddress: (last: UInt32, end: UInt32)] = [:]

  /// Peers' sign counters are written ahead by so many, so that not each signed command waits for the disk. After a crash the peer's
  /// next commands up to there are refused: they can't be told from a replay of what was accepted before it.
  static let acceptedCounterBlock: UInt32 = 16

  /// - Parameters:
  ///   - loop: the stack's.
  ///   - origin: of the jobs that come back from the disk.
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

  /// The adapter is ready and known by this address. `then` is called when its bonds are known.
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

  /// Asks the store for something that takes long where it is on a disk; the loop does not wait for it. One that is in memory answers
  /// at once.
  private func ask<Answer: Sendable>(
    _ question: @escaping @Sendable (any BondStore) -> Answer, _ completion: @escaping (Answer) -> Void
  ) {
    if !store.waitsForDisk { return completion(question(store)) }
    files.perform({ [store] in question(store) }, completion)
  }

  /// Changes what is kept. `completion` is called when the change outlives this process, or cannot be made.
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

  /// How many changes wait for others.
  var waitingChanges: Int { waiting.count }

  /// Begins a change when those before it are done, at once where there is none: each is judged by what the others have left.
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

  /// Calls `completion` when all that was to be kept so far is kept.
  func afterWriting(_ completion: @escaping () -> Void) {
    inTurn { [self] done in
      ask({ _ in }) { _ in
        done()
        completion()
      }
    }
  }

  /// Returns when all that was given to the store is where it survives this process. From any thread but the loop's.
  func flush() {
    files.wait()
    store.flush()
  }

  // MARK: Bonds

  func bond(of identity: DeviceAddress) -> Bond? { records.bonds.first { $0.identity == identity } }

  /// Looks whether another process has made or removed bonds.
  func refresh() {
    guard let adapter, let news = store.news(of: adapter) else { return }
    records.bonds = news
    bondsChanged()
  }

  func hasRoom(for identity: DeviceAddress?) -> Bool { makingRoom(for: identity) != nil }

  /// Whose keys have to go before there is room for those of one more device: the oldest of those that anybody could have made and
  /// that were of no use since. `nil` where there is no room.
  private func makingRoom(for identity: DeviceAddress?) -> [DeviceAddress]? {
    if let identity, bond(of: identity) != nil { return [] }
    let count = records.bonds.count - bondLimit + 1
    if count <= 0 { return [] }
    let leaving = records.bonds.lazy.filter { [self] bond in
      bond.isUnused && !bond.keys.security.isAuthenticated && !isConnected(bond.identity)
    }.prefix(count).map(\.identity)
    return leaving.count == count ? Array(leaving) : nil
  }

  /// Keeps the keys of a pairing. `completion` is called with `nil` when they outlive this process, else with why they do not.
  ///
  /// - Parameter isWantedHere: this side has asked for the pairing.
  func keep(_ result: PairingResult, isWantedHere: Bool, _ completion: @escaping (PairingFailure?) -> Void) {
    inTurn { [self] done in
      let answer = { (failure: PairingFailure?) in
        completion(failure)
        done()
      }
      guard let adapter, var bond = Bond(withoutForeignKey(result)) else { return answer(.notKept) }
      guard let leaving = makingRoom(for: bond.identity) else { return answer(.tooManyBonds) }
      bond.isUnused = !isWantedHere && self.bond(of: bond.identity)?.isUnused ?? true
      let kept = bond
      write({ store throws(BondStoreError) in try store.keep(kept, of: adapter) }) { [self] error in
        if let error {
          log.log(.error, "\(error): the keys of \(kept.identity) are not kept, and the pairing fails")
          return answer(.notKept)
        }
        signCounters[kept.identity] = nil
        acceptedCounters[kept.identity] = nil
        made.insert(kept.identity)
        records.put(kept)
        makeRoom(leaving)
        bondsChanged()
        answer(nil)
      }
    }
  }

  /// Only when the new keys are safe: a pairing that fails takes nothing away.
  private func makeRoom(_ leaving: [DeviceAddress]) {
    if leaving.isEmpty { return }
    remove(leaving) { [self] error in
      if let error {
        log.log(.error, "\(error): keys that were to make room stay")
      } else {
        log.log(.notice, "forgot \(leaving), which paired and never came back, for want of room")
      }
    }
  }

  /// A link was encrypted with the keys of this bond.
  func bondWasUsed(_ identity: DeviceAddress) {
    if bond(of: identity)?.isUnused == true { update(identity) { $0.isUnused = false } }
  }

  /// Whether the keys of this device were made here since this began.
  func isNew(_ identity: DeviceAddress) -> Bool { made.contains(identity) }

  /// Two devices with one resolving key could not be told apart: the one that had it first goes on having it.
  private func withoutForeignKey(_ result: PairingResult) -> PairingResult {
    guard let key = result.peerIdentityResolvingKey,
      records.bonds.contains(where: {
        $0.identity != result.peerIdentity && $0.keys.peerIdentityResolvingKey == key
      })
    else { return result }
    log.log(.warning, "another device has handed out the resolving key that a bonded one has: it is not used")
    return PairingResult(
      security: result.security, isBonded: result.isBonded, peerIdentity: result.peerIdentity,
      keyAsCentral: result.keyAsCentral, keyAsPeripheral: result.keyAsPeripheral,
      localSigningKey: result.localSigningKey, peerSigningKey: result.peerSigningKey)
  }

  /// Changes what is kept besides keys.
  func update(_ identity: DeviceAddress, _ body: (inout Bond) -> Void) {
    guard let adapter, let index = records.bonds.firstIndex(where: { $0.identity == identity }) else { return }
    body(&records.bonds[index])
    store.update(records.bonds[index], of: adapter)
  }

  /// - Parameters:
  ///   - chosen: asked for when the changes before this one are done; `nil`: all devices.
  ///   - completion: called with why the keys stay, or `nil`.
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
          made.subtract(removed)
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
  /// The policy with what an agent can show and type.
  func answered(by agent: any PairingAgent) -> SecurityPolicy {
    var policy = self
    policy.ioCapability = SMPIOCapability(rawValue: agent.capability.rawValue)
    if agent.wantsAuthentication { policy.wantsAuthentication = true }
    return policy
  }
}
