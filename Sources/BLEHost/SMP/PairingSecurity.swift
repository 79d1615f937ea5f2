import BLECore

/// The levels of LE security mode 1 (Core, Vol 3 Part C 10.2.1).
public enum SecurityLevel: Int, Comparable, Hashable, Sendable, CaseIterable {
  /// Level 1: no security.
  case open = 1
  /// Level 2: encrypted with keys of an unauthenticated pairing.
  case encrypted
  /// Level 3: encrypted with keys of an authenticated pairing, with protection against a man in the middle.
  case authenticated
  /// Level 4: as level 3, by Secure Connections with a key of sixteen octets.
  case authenticatedSecureConnections

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The security of a pairing's keys, stored with them: it is also the security of each link encrypted with these keys.
public struct PairingSecurity: Hashable, Sendable {
  /// The method of authentication.
  public let method: PairingMethod
  /// True for Secure Connections, false for legacy pairing.
  public let isSecureConnections: Bool
  /// The size of the key in octets, 7 to 16.
  public let keySize: Int
  /// Whether a side used the specification's debug key, so that any listener knows the keys.
  public let usesDebugKey: Bool

  public init(method: PairingMethod, isSecureConnections: Bool, keySize: Int, usesDebugKey: Bool = false) {
    self.method = method
    self.isSecureConnections = isSecureConnections
    self.keySize = keySize
    self.usesDebugKey = usesDebugKey
  }

  /// Whether the pairing was protected against a man in the middle.
  public var isAuthenticated: Bool { method != .justWorks && !usesDebugKey }

  public var level: SecurityLevel {
    if !isAuthenticated { return .encrypted }
    return isSecureConnections && keySize == 16 ? .authenticatedSecureConnections : .authenticated
  }

  /// Whether keys of this security may replace keys of `other`: they are weaker in no respect.
  public func isAtLeastAsGood(as other: PairingSecurity) -> Bool {
    level >= other.level && keySize >= other.keySize && (isSecureConnections || !other.isSecureConnections)
      && (!usesDebugKey || other.usesDebugKey)
  }

  /// Returns the security of a link encrypted with these keys, as checked for attributes.
  public func linkSecurity(isBonded: Bool) -> LinkSecurity {
    LinkSecurity(
      isEncrypted: true, isAuthenticated: isAuthenticated, usesSecureConnections: isSecureConnections,
      keySize: UInt8(clamping: keySize), isBonded: isBonded)
  }
}
