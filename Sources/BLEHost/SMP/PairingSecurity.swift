import BLECore

/// The levels of LE security mode 1 (Core, Vol 3 Part C 10.2.1).
public enum SecurityLevel: Int, Comparable, Hashable, Sendable, CaseIterable {
  /// Level 1: nothing.
  case open = 1
  /// Level 2: encrypted; the peer may be anybody.
  case encrypted
  /// Level 3: encrypted, and the pairing was protected against somebody in the middle.
  case authenticated
  /// Level 4: as level 3, by Secure Connections with a key of sixteen octets.
  case authenticatedSecureConnections

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// How good the keys of a pairing are, recorded with them: a link that is encrypted with these keys is as good as this.
public struct PairingSecurity: Hashable, Sendable {
  /// How the two sides made sure of each other.
  public let method: PairingMethod
  /// Secure Connections, not legacy pairing.
  public let isSecureConnections: Bool
  /// Octets of the key that are not zero by agreement, 7 to 16.
  public let keySize: Int
  /// The specification's debug key was used by one side: whoever listened knows the keys.
  public let usesDebugKey: Bool

  public init(method: PairingMethod, isSecureConnections: Bool, keySize: Int, usesDebugKey: Bool = false) {
    self.method = method
    self.isSecureConnections = isSecureConnections
    self.keySize = keySize
    self.usesDebugKey = usesDebugKey
  }

  /// Somebody in the middle would have been noticed.
  public var isAuthenticated: Bool { method != .justWorks && !usesDebugKey }

  public var level: SecurityLevel {
    if !isAuthenticated { return .encrypted }
    return isSecureConnections && keySize == 16 ? .authenticatedSecureConnections : .authenticated
  }

  /// Whether keys of this quality may stand in for keys of that one: nothing about them is worse.
  public func isAtLeastAsGood(as other: PairingSecurity) -> Bool {
    level >= other.level && keySize >= other.keySize && (isSecureConnections || !other.isSecureConnections)
      && (!usesDebugKey || other.usesDebugKey)
  }

  /// What an attribute sees of a link that is encrypted with such keys.
  public func linkSecurity(isBonded: Bool) -> LinkSecurity {
    LinkSecurity(
      isEncrypted: true, isAuthenticated: isAuthenticated, usesSecureConnections: isSecureConnections,
      keySize: UInt8(clamping: keySize), isBonded: isBonded)
  }
}
