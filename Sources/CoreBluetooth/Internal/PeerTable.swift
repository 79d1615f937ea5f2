internal import BLEAdapter

/// The peers that one manager has vended: one object for one device as long as somebody keeps it.
final class PeerTable<Peer: CBPeer>: Sendable {
  // A class: Swift 6.3 takes an optional structure with a weak reference apart wrongly where it is `nil`.
  private final class Entry {
    weak var peer: Peer?
    let address: ObjectIdentifier

    init(_ peer: Peer) {
      self.peer = peer
      address = ObjectIdentifier(peer)
    }
  }

  // No object may die while the lock is held, as its end comes back here: whatever is looked up is handed out.
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

  /// At the end of `peer`.
  func forget(_ peer: CBPeer) {
    let address = ObjectIdentifier(peer)
    entries.withLock { entries in
      if entries[peer.peerIdentifier]?.address == address { entries[peer.peerIdentifier] = nil }
    }
  }
}
