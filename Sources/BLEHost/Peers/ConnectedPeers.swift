import BLEAdapter
import BLECore

extension Sequence<(peer: KnownPeer, services: [BLEUUID])> {
  /// Returns the peers that have one of `services`, in the order of their identifiers.
  package func peers(withServices services: [BLEUUID]) -> [KnownPeer] {
    filter { entry in services.contains { entry.services.contains($0) } }
      .map(\.peer)
      .sorted { ($0.identifier.high, $0.identifier.low) < ($1.identifier.high, $1.identifier.low) }
  }
}
