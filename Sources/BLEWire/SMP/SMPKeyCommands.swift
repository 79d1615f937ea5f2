import BLECore

/// The long-term key of legacy pairing (Core, Vol 3 Part H 3.6.2).
public struct SMPEncryptionInformation: SMPPacket {
  public static let code = SMPCode.encryptionInformation
  public var longTermKey: SMPKeyOctets

  public init(longTermKey: SMPKeyOctets) { self.longTermKey = longTermKey }
  public init(from reader: inout ByteReader) throws(DecodeError) {
    longTermKey = try reader.keyOctets("Long Term Key")
  }
  public func encode(into writer: inout ByteWriter) { writer.append(contentsOf: longTermKey.octets) }
  public static var examples: [Self] { [Self(longTermKey: SMPKeyOctets(0..<16))] }
}

/// What names the long-term key of legacy pairing (Core, Vol 3 Part H 3.6.3).
public struct SMPCentralIdentification: SMPPacket {
  public static let code = SMPCode.centralIdentification
  public var encryptedDiversifier: UInt16
  public var randomNumber: UInt64

  public init(encryptedDiversifier: UInt16, randomNumber: UInt64) {
    self.encryptedDiversifier = encryptedDiversifier
    self.randomNumber = randomNumber
  }
  public init(from reader: inout ByteReader) throws(DecodeError) {
    encryptedDiversifier = try reader.uint16("EDIV")
    randomNumber = try reader.uint64("Rand")
  }
  public func encode(into writer: inout ByteWriter) {
    writer.append(encryptedDiversifier)
    writer.append(randomNumber)
  }
  public static var examples: [Self] {
    [Self(encryptedDiversifier: 0x1234, randomNumber: 0x0123_4567_89AB_CDEF)]
  }
}

/// The key that resolves a device's private addresses (Core, Vol 3 Part H 3.6.4).
public struct SMPIdentityInformation: SMPPacket {
  public static let code = SMPCode.identityInformation
  public var identityResolvingKey: SMPKeyOctets

  public init(identityResolvingKey: SMPKeyOctets) { self.identityResolvingKey = identityResolvingKey }
  public init(from reader: inout ByteReader) throws(DecodeError) {
    identityResolvingKey = try reader.keyOctets("Identity Resolving Key")
  }
  public func encode(into writer: inout ByteWriter) { writer.append(contentsOf: identityResolvingKey.octets) }
  public static var examples: [Self] { [Self(identityResolvingKey: SMPKeyOctets(16..<32))] }
}

/// The address that a device keeps (Core, Vol 3 Part H 3.6.5).
public struct SMPIdentityAddressInformation: SMPPacket {
  public static let code = SMPCode.identityAddressInformation
  /// 0x00 public, 0x01 random static. Holds what came.
  public var addressType: UInt8
  /// The 48 bits as a number.
  public var deviceAddress: UInt64

  public init(addressType: UInt8, deviceAddress: UInt64) {
    self.addressType = addressType
    self.deviceAddress = deviceAddress & 0xFFFF_FFFF_FFFF
  }

  public init(_ address: DeviceAddress) {
    self.init(addressType: address.kind.rawValue, deviceAddress: address.value)
  }

  /// `nil` where the type is not known, or the address is not one that a device keeps.
  public var identityAddress: DeviceAddress? {
    guard let kind = DeviceAddress.Kind(rawValue: addressType) else { return nil }
    let address = DeviceAddress(deviceAddress, kind: kind)
    return address.isIdentity ? address : nil
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    addressType = try reader.uint8("AddrType")
    deviceAddress = try reader.unsigned(width: 6, "BD_ADDR")
  }
  public func encode(into writer: inout ByteWriter) {
    writer.append(addressType)
    writer.append(deviceAddress, width: 6)
  }
  public static var examples: [Self] {
    [Self(DeviceAddress(0x0011_2233_4455, kind: .public)), Self(DeviceAddress(0xC011_2233_4455, kind: .random))]
  }
}

/// The key that signed commands are checked with (Core, Vol 3 Part H 3.6.6).
public struct SMPSigningInformation: SMPPacket {
  public static let code = SMPCode.signingInformation
  public var signatureKey: SMPKeyOctets

  public init(signatureKey: SMPKeyOctets) { self.signatureKey = signatureKey }
  public init(from reader: inout ByteReader) throws(DecodeError) {
    signatureKey = try reader.keyOctets("Signature Key")
  }
  public func encode(into writer: inout ByteWriter) { writer.append(contentsOf: signatureKey.octets) }
  public static var examples: [Self] { [Self(signatureKey: SMPKeyOctets(32..<48))] }
}
