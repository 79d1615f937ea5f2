import BLEAdapter
import BLECore
import Synchronization

/// A persistent store for the peers that this machine has met.
///
/// A store may be shared by several processes, which then see each other's peers. `Sendable`: every method may be called from any
/// thread.
public protocol PeerStore: AnyObject, Sendable {
  /// Returns the stored records: the secret from which identifiers are derived, and the peers met so far.
  func open() -> PeerRecords

  /// Stores `peer`, replacing the one with its identifier. Returns without waiting for the disk; it is written later.
  func remember(_ peer: KnownPeer)

  /// Returns the peers that other processes have stored since `open()` or the last call.
  func externalChanges() -> [KnownPeer]

  /// Returns when all peers stored so far outlive this process.
  func flush()
}

/// The content of a `PeerStore`.
public struct PeerRecords: Equatable, Sendable {
  /// 16 octets, generated once for each user of a machine. With this secret an identifier can be matched to an address.
  public var key: [UInt8]
  /// Later entries replace earlier ones of the same identifier.
  public var peers: [KnownPeer]

  public static let keyLength = 16

  public init(key: [UInt8], peers: [KnownPeer]) {
    self.key = key
    self.peers = peers
  }
}

/// A store in memory, for simulations and tests. Several stacks may open it one after another.
public final class MemoryPeerStore: PeerStore {
  private let key: [UInt8]
  private let peers = Mutex<[PeerIdentifier: KnownPeer]>([:])

  /// - Parameter entropy: determines the identifiers: with the same seed the same devices have the same identifiers.
  public init(entropy: any EntropySource) { key = entropy.octets(PeerRecords.keyLength) }

  public func open() -> PeerRecords {
    let peers = peers.withLock { Array($0.values) }
    return PeerRecords(key: key, peers: peers.sorted { $0.address.key < $1.address.key })
  }
  public func remember(_ peer: KnownPeer) { peers.withLock { $0[peer.identifier] = peer } }
  public func externalChanges() -> [KnownPeer] { [] }
  public func flush() {}
}
