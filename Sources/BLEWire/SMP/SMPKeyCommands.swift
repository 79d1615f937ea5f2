import BLECore

/// The long-term key of legacy pairing (Core, Vol 3 Part H 3.6.2).
public struct SMPEncryptionInformation: SMPPacket, HasLayout {
  public static let code = SMPCode.encryptionInformation
  public var longTermKey: SMPKeyOctets

  public init(longTermKey: SMPKeyOctets) { self.longTermKey = longTermKey }

  static let layout = Layout(Self.init, Field("Long Term Key", \.longTermKey))
}

/// What names the long-term key of legacy pairing (Core, Vol 3 Part H 3.6.3).
public struct SMPCentralIdentification: SMPPacket, HasLayout {
  public static let code = SMPCode.centralIdentification
  public var encryptedDiversifier: UInt16
  public var randomNumber: UInt64

  public init(encryptedDiversifier: UInt16, randomNumber: UInt64) {
    self.encryptedDiversifier = encryptedDiversifier
    self.randomNumber = randomNumber
  }

  static let layout = Layout(Self.init, Field("EDIV", \.encryptedDiversifier), Field("Rand", \.randomNumber))
}

/// The key that resolves a device's private addresses (Core, Vol 3 Part H 3.6.4).
public struct SMPIdentityInformation: SMPPacket, HasLayout {
  public static let code = SMPCode.identityInformation
  public var identityResolvingKey: SMPKeyOctets

  public init(identityResolvingKey: SMPKeyOctets) { self.identityResolvingKey = identityResolvingKey }

  static let layout = Layout(Self.init, Field("Identity Resolving Key", \.identityResolvingKey))
}

/// The address that a device keeps (Core, Vol 3 Part H 3.6.5).
public struct SMPIdentityAddressInformation: SMPPacket, HasLayout {
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

  static let layout = Layout(
    Self.init, Field("AddrType", \.addressType), Field("BD_ADDR", \.deviceAddress, .unsigned(octets: 6)))

  public static var examples: [Self] {
    [Self(DeviceAddress(0x0011_2233_4455, kind: .public)), Self(DeviceAddress(0xC011_2233_4455, kind: .random))]
  }
}

/// The key that signed commands are checked with (Core, Vol 3 Part H 3.6.6).
public struct SMPSigningInformation: SMPPacket, HasLayout {
  public static let code = SMPCode.signingInformation
  public var signatureKey: SMPKeyOctets

  public init(signatureKey: SMPKeyOctets) { self.signatureKey = signatureKey }

  static let layout = Layout(Self.init, Field("Signature Key", \.signatureKey))
}
