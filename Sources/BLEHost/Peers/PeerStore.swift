import BLEAdapter
import BLECore
import Synchronization

/// Where the peers that this machine has met are kept.
///
/// A store may be shared by several processes: what one of them remembers the others learn. `Sendable`: every call may come
/// from any thread.
public protocol PeerStore: AnyObject, Sendable {
  /// What is known at the start: the secret that identifiers are made from, and the peers met so far.
  func open() -> PeerRecords

  /// Keeps `peer`, in place of what was kept for its identifier. Returns at once: the writing happens later and elsewhere.
  func remember(_ peer: KnownPeer)

  /// What other processes have remembered since `open()` or the last call.
  func news() -> [KnownPeer]

  /// Returns when everything remembered so far is where it survives this process.
  func flush()
}

/// What a `PeerStore` holds.
public struct PeerRecords: Equatable, Sendable {
  /// 16 octets, made once for each user of a machine. Whoever has them can tell which address an identifier belongs to.
  public var key: [UInt8]
  /// Later entries replace earlier ones of the same identifier.
  public var peers: [KnownPeer]

  public static let keyLength = 16

  public init(key: [UInt8], peers: [KnownPeer]) {
    self.key = key
    self.peers = peers
  }
}

/// A store that ends with its process, for simulations and tests. Several stacks may open it one after the other.
public final class MemoryPeerStore: PeerStore {
  private let key: [UInt8]
  private let peers = Mutex<[PeerIdentifier: KnownPeer]>([:])

  /// The identifiers follow from `entropy` alone: the same seed names the same devices by the same identifiers.
  public init(entropy: any EntropySource) { key = entropy.octets(PeerRecords.keyLength) }

  public func open() -> PeerRecords {
    let peers = peers.withLock { Array($0.values) }
    return PeerRecords(key: key, peers: peers.sorted { $0.address.key < $1.address.key })
  }
  public func remember(_ peer: KnownPeer) { peers.withLock { $0[peer.identifier] = peer } }
  public func news() -> [KnownPeer] { [] }
  public func flush() {}
}
