import BLECore

/// The features of one side, six octets of the same form in request and response. Hold what came.
public struct SMPPairingFeatures: Equatable, HasLayout, WireValue {
  public var ioCapability: SMPIOCapability
  /// 0x01: authentication data of the other side is here by another way. Other values than 0 and 1 are reserved.
  public var oobDataFlag: UInt8
  public var authenticationRequirements: SMPAuthenticationRequirements
  /// Octets; 7 to 16 are allowed.
  public var maximumEncryptionKeySize: UInt8
  public var initiatorKeyDistribution: SMPKeyDistribution
  public var responderKeyDistribution: SMPKeyDistribution

  public init(
    ioCapability: SMPIOCapability, oobDataFlag: UInt8 = 0,
    authenticationRequirements: SMPAuthenticationRequirements, maximumEncryptionKeySize: UInt8 = 16,
    initiatorKeyDistribution: SMPKeyDistribution, responderKeyDistribution: SMPKeyDistribution
  ) {
    self.ioCapability = ioCapability
    self.oobDataFlag = oobDataFlag
    self.authenticationRequirements = authenticationRequirements
    self.maximumEncryptionKeySize = maximumEncryptionKeySize
    self.initiatorKeyDistribution = initiatorKeyDistribution
    self.responderKeyDistribution = responderKeyDistribution
  }

  static let layout = Layout(
    Self.init, Field("IO Capability", \.ioCapability), Field("OOB Data Flag", \.oobDataFlag),
    Field("AuthReq", \.authenticationRequirements), Field("Maximum Encryption Key Size", \.maximumEncryptionKeySize),
    Field("Initiator Key Distribution", \.initiatorKeyDistribution),
    Field("Responder Key Distribution", \.responderKeyDistribution))

  static let example = SMPPairingFeatures(
    ioCapability: .keyboardDisplay, authenticationRequirements: [.bonding, .mitm, .secureConnections],
    initiatorKeyDistribution: [.encryption, .identity], responderKeyDistribution: [.encryption, .identity, .signing])
}

/// The initiator starts a pairing (Core, Vol 3 Part H 3.5.1).
public struct SMPPairingRequest: SMPPacket, HasLayout {
  public static let code = SMPCode.pairingRequest
  public var features: SMPPairingFeatures

  public init(features: SMPPairingFeatures) { self.features = features }

  static let layout = Layout(Self.init, Field(\.features))
}

/// The responder agrees to a pairing (Core, Vol 3 Part H 3.5.2).
public struct SMPPairingResponse: SMPPacket, HasLayout {
  public static let code = SMPCode.pairingResponse
  public var features: SMPPairingFeatures

  public init(features: SMPPairingFeatures) { self.features = features }

  static let layout = Layout(Self.init, Field(\.features))
}
