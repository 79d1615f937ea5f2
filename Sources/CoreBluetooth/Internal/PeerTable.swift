internal import BLEAdapter

/// The peers that one manager has vended: one object for each device while a reference to it exists.
final class PeerTable<Peer: CBPeer>: Sendable {
  // A class: Swift 6.3 destroys an optional structure with a weak reference wrongly where it is `nil`.
  private final class Entry {
    weak var peer: Peer?
    let address: ObjectIdentifier

    init(_ peer: Peer) {
      self.peer = peer
      address = ObjectIdentifier(peer)
    }
  }

  // No object may be deallocated while the lock is held, as its `deinit` calls `forget`: objects that are looked up are returned.
  private let entries = Locked([PeerIdentifier: Entry]())

  func peer(_ identifier: PeerIdentifier, make: () -> Peer) -> Peer {
    entries.withLock { entries in
      if let known = entries[identifier]?.peer { return known }
      let peer = make()
      entries[identifier] = Entry(peer)
      return peer
    }
  }

  func existing(_ identifier: PeerIdentifier) -> Peer? { entries.withLock { $0[identifier]?.peer } }

  var all: [Peer] { entries.withLock { $0.values.compactMap(\.peer) } }

  func removeAll() { entries.withLock { $0.removeAll() } }

  /// Called by the `deinit` of `peer`.
  func forget(_ peer: CBPeer) {
    let address = ObjectIdentifier(peer)
    entries.withLock { entries in
      if entries[peer.peerIdentifier]?.address == address { entries[peer.peerIdentifier] = nil }
    }
  }
}
