import BLECore

/// An adapter whose keys the system keeps for all programs: a program can have a device paired and forgotten, and does not see
/// the keys. The process's pairing agent answers for the user.
public protocol SystemPairing: Adapter {
  /// The devices that the system has keys of. From any thread, as the other methods.
  func pairedDevices(_ completion: @escaping @Sendable (Result<[KnownPeer], SystemPairingError>) -> Void)
  /// Pairs with a device. Success with false: it was already paired.
  func pair(with peer: PeerIdentifier, _ completion: @escaping @Sendable (Result<Bool, SystemPairingError>) -> Void)
  /// Removes the keys, and all other data that the system has of the device. A link to it ends.
  func forget(_ peer: PeerIdentifier, _ completion: @escaping @Sendable (Result<Void, SystemPairingError>) -> Void)
}

/// Why the system did not do it, as the second half of a sentence for people.
public struct SystemPairingError: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String
  public init(_ description: String) { self.description = description }
}
