import BLECore

/// A commitment to a nonce (Core, Vol 3 Part H 3.5.3).
public struct SMPPairingConfirm: SMPPacket {
  public static let code = SMPCode.pairingConfirm
  /// Sixteen octets, least significant first.
  public var confirmValue: ArraySlice<UInt8>

  public init(confirmValue: ArraySlice<UInt8>) { self.confirmValue = confirmValue }
  public init(from reader: inout ByteReader) throws(DecodeError) {
    confirmValue = try reader.octets(16, "Confirm Value")
  }
  public func encode(into writer: inout ByteWriter) { writer.append(contentsOf: confirmValue, paddedTo: 16) }
  public static var examples: [Self] { [Self(confirmValue: ArraySlice(0..<16))] }
}

/// The nonce that was committed to (Core, Vol 3 Part H 3.5.4).
public struct SMPPairingRandom: SMPPacket {
  public static let code = SMPCode.pairingRandom
  /// Sixteen octets, least significant first.
  public var randomValue: ArraySlice<UInt8>

  public init(randomValue: ArraySlice<UInt8>) { self.randomValue = randomValue }
  public init(from reader: inout ByteReader) throws(DecodeError) {
    randomValue = try reader.octets(16, "Random Value")
  }
  public func encode(into writer: inout ByteWriter) { writer.append(contentsOf: randomValue, paddedTo: 16) }
  public static var examples: [Self] { [Self(randomValue: ArraySlice(16..<32))] }
}

/// Ends a pairing (Core, Vol 3 Part H 3.5.5).
public struct SMPPairingFailed: SMPPacket {
  public static let code = SMPCode.pairingFailed
  public var reason: SMPPairingFailedReason

  public init(reason: SMPPairingFailedReason) { self.reason = reason }
  public init(from reader: inout ByteReader) throws(DecodeError) {
    reason = SMPPairingFailedReason(rawValue: try reader.uint8("Reason"))
  }
  public func encode(into writer: inout ByteWriter) { writer.append(reason.rawValue) }
  public static var examples: [Self] { [Self(reason: .confirmValueFailed)] }
}

/// A point on P-256 (Core, Vol 3 Part H 3.5.6). Whether it lies on the curve is for the receiver to find out first of all.
public struct SMPPairingPublicKey: SMPPacket {
  public static let code = SMPCode.pairingPublicKey
  /// Thirty-two octets, least significant first.
  public var x: ArraySlice<UInt8>
  /// Thirty-two octets, least significant first.
  public var y: ArraySlice<UInt8>

  public init(x: ArraySlice<UInt8>, y: ArraySlice<UInt8>) {
    self.x = x
    self.y = y
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    x = try reader.octets(32, "Public Key X")
    y = try reader.octets(32, "Public Key Y")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(contentsOf: x, paddedTo: 32)
    writer.append(contentsOf: y, paddedTo: 32)
  }

  public static var examples: [Self] { [Self(x: ArraySlice(0..<32), y: ArraySlice(32..<64))] }
}

/// Proof of the shared secret (Core, Vol 3 Part H 3.5.7).
public struct SMPPairingDHKeyCheck: SMPPacket {
  public static let code = SMPCode.pairingDHKeyCheck
  /// Sixteen octets, least significant first.
  public var dhKeyCheck: ArraySlice<UInt8>

  public init(dhKeyCheck: ArraySlice<UInt8>) { self.dhKeyCheck = dhKeyCheck }
  public init(from reader: inout ByteReader) throws(DecodeError) {
    dhKeyCheck = try reader.octets(16, "DHKey Check")
  }
  public func encode(into writer: inout ByteWriter) { writer.append(contentsOf: dhKeyCheck, paddedTo: 16) }
  public static var examples: [Self] { [Self(dhKeyCheck: ArraySlice(32..<48))] }
}

/// A user is typing a passkey (Core, Vol 3 Part H 3.5.8).
public struct SMPPairingKeypressNotification: SMPPacket {
  public static let code = SMPCode.pairingKeypressNotification

  public struct Kind: RawRepresentable, Hashable, Sendable {
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
  public init(from reader: inout ByteReader) throws(DecodeError) {
    kind = Kind(rawValue: try reader.uint8("Notification Type"))
  }
  public func encode(into writer: inout ByteWriter) { writer.append(kind.rawValue) }
  public static var examples: [Self] { [Self(kind: .digitEntered)] }
}

/// The peripheral asks for security (Core, Vol 3 Part H 3.6.7).
public struct SMPSecurityRequest: SMPPacket {
  public static let code = SMPCode.securityRequest
  public var authenticationRequirements: SMPAuthenticationRequirements

  public init(authenticationRequirements: SMPAuthenticationRequirements) {
    self.authenticationRequirements = authenticationRequirements
  }
  public init(from reader: inout ByteReader) throws(DecodeError) {
    authenticationRequirements = SMPAuthenticationRequirements(rawValue: try reader.uint8("AuthReq"))
  }
  public func encode(into writer: inout ByteWriter) { writer.append(authenticationRequirements.rawValue) }
  public static var examples: [Self] { [Self(authenticationRequirements: [.bonding, .mitm])] }
}
