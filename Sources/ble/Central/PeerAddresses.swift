import BLEAdapter
import BLECore
import BLEDefaultStack
import Foundation

/// The addresses behind identifiers. Apple's API does not tell them; the stack below does.
enum PeerAddresses {
  /// The address under which this machine has met the peer last.
  static func address(of identifier: UUID) -> DeviceAddress? {
    let (high, low) = withUnsafeBytes(of: identifier.uuid) { octets in
      (
        UInt64(bigEndian: octets.loadUnaligned(as: UInt64.self)),
        UInt64(bigEndian: octets.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      )
    }
    return DefaultStack.adapter.knownPeers([PeerIdentifier(high: high, low: low)]).first?.address
  }
}
