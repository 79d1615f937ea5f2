import BLECore

/// A commitment to a nonce (Core, Vol 3 Part H 3.5.3).
public struct SMPPairingConfirm: SMPPacket, HasLayout {
  public static let code = SMPCode.pairingConfirm
  /// Sixteen octets, least significant first.
  public var confirmValue: ArraySlice<UInt8>

  public init(confirmValue: ArraySlice<UInt8>) { self.confirmValue = confirmValue }

  static let layout = Layout(Self.init, Field("Confirm Value", \.confirmValue, .octets(16)))
}

/// The nonce that was committed to (Core, Vol 3 Part H 3.5.4).
public struct SMPPairingRandom: SMPPacket, HasLayout {
  public static let code = SMPCode.pairingRandom
  /// Sixteen octets, least significant first.
  public var randomValue: ArraySlice<UInt8>

  public init(randomValue: ArraySlice<UInt8>) { self.randomValue = randomValue }

  static let layout = Layout(Self.init, Field("Random Value", \.randomValue, .octets(16)))
}

/// Ends a pairing (Core, Vol 3 Part H 3.5.5).
public struct SMPPairingFailed: SMPPacket, HasLayout {
  public static let code = SMPCode.pairingFailed
  public var reason: SMPPairingFailedReason

  public init(reason: SMPPairingFailedReason) { self.reason = reason }

  static let layout = Layout(Self.init, Field("Reason", \.reason))
}

/// A point on P-256 (Core, Vol 3 Part H 3.5.6). Whether it lies on the curve is for the receiver to find out first of all.
public struct SMPPairingPublicKey: SMPPacket, HasLayout {
  public static let code = SMPCode.pairingPublicKey
  /// Thirty-two octets, least significant first.
  public var x: ArraySlice<UInt8>
  /// Thirty-two octets, least significant first.
  public var y: ArraySlice<UInt8>

  public init(x: ArraySlice<UInt8>, y: ArraySlice<UInt8>) {
    self.x = x
    self.y = y
  }

  static let layout = Layout(
    Self.init, Field("Public Key X", \.x, .octets(32)), Field("Public Key Y", \.y, .octets(32)))
}

/// Proof of the shared secret (Core, Vol 3 Part H 3.5.7).
public struct SMPPairingDHKeyCheck: SMPPacket, HasLayout {
  public static let code = SMPCode.pairingDHKeyCheck
  /// Sixteen octets, least significant first.
  public var dhKeyCheck: ArraySlice<UInt8>

  public init(dhKeyCheck: ArraySlice<UInt8>) { self.dhKeyCheck = dhKeyCheck }

  static let layout = Layout(Self.init, Field("DHKey Check", \.dhKeyCheck, .octets(16)))
}

/// A user is typing a passkey (Core, Vol 3 Part H 3.5.8).
public struct SMPPairingKeypressNotification: SMPPacket, HasLayout {
  public static let code = SMPCode.pairingKeypressNotification

  public struct Kind: WireNumber, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    public static let started = Kind(rawValue: 0)
    public static let digitEntered = Kind(rawValue: 1)
    public static let digitErased = Kind(rawValue: 2)
    public static let cleared = Kind(rawValue: 3)
    public static let completed = Kind(rawValue: 4)
  }

  public var kind: Kind

  public init(kind: Kind) { self.kind = kind }

  static let layout = Layout(Self.init, Field("Notification Type", \.kind))
}

/// The peripheral asks for security (Core, Vol 3 Part H 3.6.7).
public struct SMPSecurityRequest: SMPPacket, HasLayout {
  public static let code = SMPCode.securityRequest
  public var authenticationRequirements: SMPAuthenticationRequirements

  public init(authenticationRequirements: SMPAuthenticationRequirements) {
    self.authenticationRequirements = authenticationRequirements
  }

  static let layout = Layout(Self.init, Field("AuthReq", \.authenticationRequirements))
}
