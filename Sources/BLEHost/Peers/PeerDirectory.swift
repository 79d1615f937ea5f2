import BLEAdapter
import BLECore
import BLECrypto
import Synchronization

/// Maps peer identifiers to addresses and names.
///
/// An identifier is a keyed hash of the device's address, under a secret of this user on this machine. So two processes that meet a
/// device at the same time give it the same identifier without coordination, and a scan that meets ten thousand devices waits for
/// no file. The store keeps the reverse mapping, from an identifier to the address, and the name.
///
/// `Sendable`: all state is behind a mutex, because `Adapter.knownPeers` may be called from any thread.
public final class PeerDirectory: Sendable {
  fileprivate struct Tables {
    let key: SecretKey
    let limit: Int
    /// Computes identifiers. Lazy, because a device that only advertises needs none.
    lazy var hash = AESCMAC(key: key)
    var peers: [PeerIdentifier: KnownPeer] = [:]
    var identifiers: [DeviceAddress: PeerIdentifier] = [:]
    /// Identifiers in the order of their arrival; the oldest are removed at the limit.
    var arrivals: [PeerIdentifier] = []
    /// The identities of bonded devices: their entries are never removed.
    var bonded: Set<DeviceAddress> = []
    /// The number of peers stored since the bonded ones were last stored.
    var storedSinceBonded = 0
  }

  /// The source of a name.
  public enum NameSource: Sendable {
    case advertised, read
  }

  /// The maximum number of peers in memory besides bonded ones, also if a device changes its address with every packet.
  public static let limit = 65_536

  /// After how many other peers the bonded ones are stored again, because the store removes the least recently stored ones first.
  static let storedBetweenBonded = 8_192

  private let store: any PeerStore
  private let tables: Mutex<Tables>

  public convenience init(store: any PeerStore) { self.init(store: store, limit: Self.limit) }

  /// - Parameter limit: the maximum number of peers in memory, at least two.
  package init(store: any PeerStore, limit: Int) {
    self.store = store
    let records = store.open()
    var initial = Tables(key: SecretKey(mostSignificantFirst: records.key), limit: max(limit, 2))
    for peer in records.peers { initial.insert(peer) }
    tables = Mutex(initial)
  }

  /// Returns the peer at `address`; adds it if it was not met before.
  public func peer(at address: DeviceAddress) -> KnownPeer {
    tables.withLock { tables in
      if let known = tables.currentPeer(at: address) { return known }
      let identifier = tables.identifier(for: address)
      if let known = tables.peers[identifier] { return known }
      let peer = KnownPeer(identifier: identifier, address: address, name: nil)
      tables.insert(peer)
      // A private address changes soon, so it is not stored.
      if address.isIdentity { remember(peer, &tables) }
      return peer
    }
  }

  /// Returns the peer at `address`, if it was met before.
  public func knownPeer(at address: DeviceAddress) -> KnownPeer? {
    tables.withLock { tables in tables.currentPeer(at: address) ?? tables.peers[tables.identifier(for: address)] }
  }

  /// Records the identity address of a peer, and returns the peer with it. The peer keeps its identifier, unless a device with that
  /// identity was met before.
  ///
  /// The address at which it was first met still maps to it, because its identifier is derived from that address. Identities that it
  /// distributed before no longer map to it: claimed identities are not accumulated.
  public func identify(_ peer: KnownPeer, as identity: DeviceAddress) -> KnownPeer {
    if peer.address == identity { return peer }
    return tables.withLock { tables in
      if let known = tables.currentPeer(at: identity) { return known }
      let names = tables.peers[peer.identifier] ?? peer
      let identified = KnownPeer(
        identifier: peer.identifier, address: identity, name: names.advertisedName, readName: names.readName)
      tables.insert(identified)
      remember(identified, &tables)
      return identified
    }
  }

  /// Sets the identities of bonded devices, which keep their identifiers however many others are met.
  func setBonded(_ identities: Set<DeviceAddress>) { tables.withLock { $0.bonded = identities } }

  /// Returns the peer with this identifier, also if another process has met it.
  public func peer(_ identifier: PeerIdentifier) -> KnownPeer? {
    if let known = tables.withLock({ $0.peers[identifier] }) { return known }
    readExternalChanges()
    return tables.withLock { $0.peers[identifier] }
  }

  /// Returns the known peers among `identifiers`, in their order.
  public func peers(_ identifiers: [PeerIdentifier]) -> [KnownPeer] {
    let first = tables.withLock { tables in identifiers.compactMap { tables.peers[$0] } }
    if first.count == identifiers.count { return first }
    readExternalChanges()
    return tables.withLock { tables in identifiers.compactMap { tables.peers[$0] } }
  }

  /// Records a name of the device, and returns the name to use from now on: an advertised name does not replace one that was read.
  @discardableResult
  public func setName(_ name: String, of identifier: PeerIdentifier, from source: NameSource) -> String {
    tables.withLock { tables in
      guard let known = tables.peers[identifier] else { return name }
      let renamed = KnownPeer(
        identifier: identifier, address: known.address, name: source == .advertised ? name : known.advertisedName,
        readName: source == .read ? name : known.readName)
      if renamed != known {
        tables.peers[identifier] = renamed
        if renamed.address.isIdentity { remember(renamed, &tables) }
      }
      return renamed.name ?? name
    }
  }

  /// Returns a random static address for this user's own device of that name, the same each time.
  public func randomAddress(named name: String) -> DeviceAddress {
    let code = tables.withLock { $0.hash.code(Array("address".utf8) + Array(name.utf8)) }
    return DeviceAddress(code.low | 0b11 << 46, kind: .random)
  }

  public func flush() { store.flush() }

  private func remember(_ peer: KnownPeer, _ tables: inout Tables) {
    store.remember(peer)
    tables.storedSinceBonded += 1
    guard tables.storedSinceBonded >= Self.storedBetweenBonded else { return }
    tables.storedSinceBonded = 0
    for identity in tables.bonded {
      if let bonded = tables.currentPeer(at: identity) { store.remember(bonded) }
    }
  }

  /// Adds the peers that other processes have met. A peer whose name this process knows is not replaced.
  private func readExternalChanges() {
    let changes = store.externalChanges()
    if changes.isEmpty { return }
    tables.withLock { tables in
      for peer in changes where tables.peers[peer.identifier]?.name == nil { tables.insert(peer) }
    }
  }
}

extension PeerDirectory.Tables {
  /// Returns 128 pseudorandom bits in the form of a random UUID (RFC 9562, version 4).
  fileprivate mutating func identifier(for address: DeviceAddress) -> PeerIdentifier {
    var message = ByteWriter(capacity: 16)
    message.append(contentsOf: "peer".utf8)
    message.append(address.kind.rawValue)
    message.append(address)
    let code = hash.code(message.octets)
    return PeerIdentifier(high: code.high & ~0xF000 | 0x4000, low: code.low & ~(0b11 << 62) | 0b10 << 62)
  }

  /// Returns the peer with this current address.
  fileprivate func currentPeer(at address: DeviceAddress) -> KnownPeer? { identifiers[address].flatMap { peers[$0] } }

  fileprivate mutating func insert(_ peer: KnownPeer) {
    if let old = peers.updateValue(peer, forKey: peer.identifier) {
      if old.address != peer.address { forgetAddress(of: old) }
    } else {
      arrivals.append(peer.identifier)
    }
    identifiers[peer.address] = peer.identifier
    // Bonded peers do not count towards the limit.
    if arrivals.count > limit + bonded.count { dropOldest() }
  }

  /// Removes half of the peers at a time, so that the cost for each arrival is constant on average.
  private mutating func dropOldest() {
    var left = arrivals.count / 2
    // The peer just added stays in any case.
    let newest = arrivals.count - 1
    var kept: [PeerIdentifier] = []
    for (index, identifier) in arrivals.enumerated() {
      guard let peer = peers[identifier] else { continue }
      if left == 0 || index == newest || bonded.contains(peer.address) {
        kept.append(identifier)
        continue
      }
      left -= 1
      peers[identifier] = nil
      forgetAddress(of: peer)
    }
    arrivals = kept
  }

  /// Removes the mapping of a peer's address, unless the address maps to another peer now.
  private mutating func forgetAddress(of peer: KnownPeer) {
    if identifiers[peer.address] == peer.identifier { identifiers[peer.address] = nil }
  }
}

extension PeerDirectory {
  /// The number of peers in memory, and of addresses that map to one.
  package var counts: (peers: Int, addresses: Int) { tables.withLock { ($0.peers.count, $0.identifiers.count) } }
}
