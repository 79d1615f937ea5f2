import BLEAdapter
import BLECore
import BLEDefaultStack
import Foundation

/// The addresses of peers by identifier. Apple's API does not provide them; the stack below does.
enum PeerAddresses {
  /// The adapter of this process.
  private static let adapter = DefaultStack.adapter

  /// The address under which this machine last met the peer.
  static func address(of identifier: UUID) -> DeviceAddress? {
    adapter.knownPeers([PeerIdentifier(identifier)]).first?.address
  }
}
