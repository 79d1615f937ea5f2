import BLEAdapter
import BLECore
import BLEDefaultStack
import Foundation

/// The addresses behind identifiers. Apple's API does not tell them; the stack below does.
enum PeerAddresses {
  /// The same for as long as the process runs.
  private static let adapter = DefaultStack.adapter

  /// The address under which this machine has met the peer last.
  static func address(of identifier: UUID) -> DeviceAddress? {
    adapter.knownPeers([PeerIdentifier(identifier)]).first?.address
  }
}
