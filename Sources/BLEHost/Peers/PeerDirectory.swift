import BLEAdapter
import BLECore
import BLECrypto
import Synchronization

/// Which identifier belongs to which address, and what the device there is called.
///
/// An identifier is a keyed hash of the device's address under a secret of this user on this machine. Two processes that
/// meet a device at the same moment therefore name it alike without asking each other, and a scan that meets ten thousand
/// devices waits for no file. What the store keeps is the way back: from an identifier to the address, and the name.
///
/// `Sendable`: all state is behind a mutex, because `Adapter.knownPeers` may be asked on any thread.
public final class PeerDirectory: Sendable {
  fileprivate struct Tables {
    let key: SecretKey
    let limit: Int
    /// Makes identifiers. Not before one is asked for: a device that only advertises meets nobody.
    lazy var hash = AESCMAC(key: key)
    var peers: [PeerIdentifier: KnownPeer] = [:]
    var identifiers: [DeviceAddress: PeerIdentifier] = [:]
    /// Identifiers in the order of their arrival; the oldest make room when the limit is reached.
    var arrivals: [PeerIdentifier] = []
    /// Those whose name was read from the device in this process: what they advertise, often shortened, does not replace it.
    var namedByThemselves: Set<PeerIdentifier> = []
    /// The identities that there are keys of: their entries never make room.
    var bonded: Set<DeviceAddress> = []
    /// What the store was given since it was given the bonded devices.
    var keptSinceBonded = 0
  }

  /// Where a name comes from.
  public enum NameSource: Sendable {
    case advertised, read
  }

  /// So many peers are held in memory besides bonded ones; a neighbour who changes its address with every packet cannot fill more.
  public static let limit = 65_536

  /// After so many other devices the store is given the bonded ones once more: it forgets those first that it was given longest ago.
  static let keptBetweenBonded = 8_192

  private let store: any PeerStore
  private let tables: Mutex<Tables>

  public convenience init(store: any PeerStore) { self.init(store: store, limit: Self.limit) }

  /// - Parameter limit: so many peers are held in memory, two at the least.
  package init(store: any PeerStore, limit: Int) {
    self.store = store
    let records = store.open()
    var initial = Tables(key: SecretKey(mostSignificantFirst: records.key), limit: max(limit, 2))
    for peer in records.peers { initial.insert(peer) }
    tables = Mutex(initial)
  }

  /// The peer at `address`; it is met now if it was not before.
  public func peer(at address: DeviceAddress) -> KnownPeer {
    tables.withLock { tables in
      if let known = tables.currentPeer(at: address) { return known }
      let identifier = tables.identifier(for: address)
      if let known = tables.peers[identifier] { return known }
      let peer = KnownPeer(identifier: identifier, address: address, name: nil)
      tables.insert(peer)
      // A private address names nobody for long: nothing to keep.
      if address.isIdentity { keep(peer, &tables) }
      return peer
    }
  }

  /// The peer at `address`, if it was met before.
  public func knownPeer(at address: DeviceAddress) -> KnownPeer? {
    tables.withLock { tables in tables.currentPeer(at: address) ?? tables.peers[tables.identifier(for: address)] }
  }

  /// A peer has said what names it for good. It keeps the identifier that it had, unless that device was met before.
  ///
  /// The address that it was first met at names it as well for as long as it is known, because its identifier is made from that
  /// address. What it has said of itself before names it no longer: nothing is kept of identities that were only claimed.
  public func identify(_ peer: KnownPeer, as identity: DeviceAddress) -> KnownPeer {
    if peer.address == identity { return peer }
    return tables.withLock { tables in
      if let known = tables.currentPeer(at: identity) { return known }
      let identified = KnownPeer(identifier: peer.identifier, address: identity, name: peer.name)
      tables.insert(identified)
      keep(identified, &tables)
      return identified
    }
  }

  /// Of which identities there are keys: those devices keep their identifiers, however many others are met.
  func setBonded(_ identities: Set<DeviceAddress>) { tables.withLock { $0.bonded = identities } }

  /// The peer that `identifier` names, whichever process has met it.
  public func peer(_ identifier: PeerIdentifier) -> KnownPeer? {
    if let known = tables.withLock({ $0.peers[identifier] }) { return known }
    learn()
    return tables.withLock { $0.peers[identifier] }
  }

  /// Those of `identifiers` that are known, in that order.
  public func peers(_ identifiers: [PeerIdentifier]) -> [KnownPeer] {
    let first = tables.withLock { tables in identifiers.compactMap { tables.peers[$0] } }
    if first.count == identifiers.count { return first }
    learn()
    return tables.withLock { tables in identifiers.compactMap { tables.peers[$0] } }
  }

  /// Notes what the device is called, and tells what to call it from now on.
  @discardableResult
  public func setName(_ name: String, of identifier: PeerIdentifier, from source: NameSource) -> String {
    tables.withLock { tables in
      guard let known = tables.peers[identifier] else { return name }
      switch source {
      case .read: tables.namedByThemselves.insert(identifier)
      case .advertised:
        if let read = known.name, tables.namedByThemselves.contains(identifier) { return read }
      }
      if known.name == name { return name }
      let renamed = KnownPeer(identifier: identifier, address: known.address, name: name)
      tables.peers[identifier] = renamed
      if renamed.address.isIdentity { keep(renamed, &tables) }
      return name
    }
  }

  /// A random static address for this user's own device of that name: the same each time.
  public func randomAddress(named name: String) -> DeviceAddress {
    let code = tables.withLock { $0.hash.code(Array("address".utf8) + Array(name.utf8)) }
    return DeviceAddress(code.low | 0b11 << 46, kind: .random)
  }

  public func flush() { store.flush() }

  private func keep(_ peer: KnownPeer, _ tables: inout Tables) {
    store.remember(peer)
    tables.keptSinceBonded += 1
    guard tables.keptSinceBonded >= Self.keptBetweenBonded else { return }
    tables.keptSinceBonded = 0
    for identity in tables.bonded {
      if let bonded = tables.currentPeer(at: identity) { store.remember(bonded) }
    }
  }

  /// Takes in what other processes have met. Of a device that was met here as well, this process knows better.
  private func learn() {
    let news = store.news()
    if news.isEmpty { return }
    tables.withLock { tables in
      for peer in news where tables.peers[peer.identifier]?.name == nil { tables.insert(peer) }
    }
  }
}

extension PeerDirectory.Tables {
  /// 128 bits that look random and are spelled as a random UUID (RFC 9562, version 4).
  fileprivate mutating func identifier(for address: DeviceAddress) -> PeerIdentifier {
    var message = ByteWriter(capacity: 16)
    message.append(contentsOf: "peer".utf8)
    message.append(address.kind.rawValue)
    message.append(address)
    let code = hash.code(message.octets)
    return PeerIdentifier(high: code.high & ~0xF000 | 0x4000, low: code.low & ~(0b11 << 62) | 0b10 << 62)
  }

  /// The peer that has this address now.
  fileprivate func currentPeer(at address: DeviceAddress) -> KnownPeer? { identifiers[address].flatMap { peers[$0] } }

  fileprivate mutating func insert(_ peer: KnownPeer) {
    if let old = peers.updateValue(peer, forKey: peer.identifier) {
      if old.address != peer.address { forgetAddress(of: old) }
    } else {
      arrivals.append(peer.identifier)
    }
    identifiers[peer.address] = peer.identifier
    // So that others have room for `limit` whatever is bonded.
    if arrivals.count > limit + bonded.count { dropOldest() }
  }

  /// Half at a time, so that the work is spread thin over the arrivals.
  private mutating func dropOldest() {
    var left = arrivals.count / 2
    // What has just arrived stays in any case.
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
      namedByThemselves.remove(identifier)
    }
    arrivals = kept
  }

  /// Unless it has become another peer's.
  private mutating func forgetAddress(of peer: KnownPeer) {
    if identifiers[peer.address] == peer.identifier { identifiers[peer.address] = nil }
  }
}

extension PeerDirectory {
  /// How many peers are held in memory, and how many addresses lead to one.
  package var counts: (peers: Int, addresses: Int) { tables.withLock { ($0.peers.count, $0.identifiers.count) } }
}
