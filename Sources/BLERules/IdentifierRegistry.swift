import BLEAdapter
import Synchronization

/// Which devices of a world know a peer by an identifier: identifiers are made by each device for itself.
public final class IdentifierRegistry: Sendable {
  private let devices = Mutex<[PeerIdentifier: Set<String>]>([:])

  public init() {}

  func note(_ identifier: PeerIdentifier, on device: String) {
    devices.withLock { _ = $0[identifier, default: []].insert(device) }
  }

  /// The other device that knows the peer by this identifier; `nil` if `device` does so too, or no device does.
  func otherDevice(knowing identifier: PeerIdentifier, than device: String) -> String? {
    devices.withLock { devices in
      guard let known = devices[identifier], !known.contains(device) else { return nil }
      return known.min()
    }
  }
}
