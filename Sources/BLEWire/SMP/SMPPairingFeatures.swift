import BLECore

/// The features of one side, six octets of the same form in request and response. Hold what came.
public struct SMPPairingFeatures: Equatable, Sendable {
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

  init(from reader: inout ByteReader) throws(DecodeError) {
    ioCapability = SMPIOCapability(rawValue: try reader.uint8("IO Capability"))
    oobDataFlag = try reader.uint8("OOB Data Flag")
    authenticationRequirements = SMPAuthenticationRequirements(rawValue: try reader.uint8("AuthReq"))
    maximumEncryptionKeySize = try reader.uint8("Maximum Encryption Key Size")
    initiatorKeyDistribution = SMPKeyDistribution(rawValue: try reader.uint8("Initiator Key Distribution"))
    responderKeyDistribution = SMPKeyDistribution(rawValue: try reader.uint8("Responder Key Distribution"))
  }

  func encode(into writer: inout ByteWriter) {
    writer.append(ioCapability.rawValue)
    writer.append(oobDataFlag)
    writer.append(authenticationRequirements.rawValue)
    writer.append(maximumEncryptionKeySize)
    writer.append(initiatorKeyDistribution.rawValue)
    writer.append(responderKeyDistribution.rawValue)
  }

  static let example = SMPPairingFeatures(
    ioCapability: .keyboardDisplay, authenticationRequirements: [.bonding, .mitm, .secureConnections],
    initiatorKeyDistribution: [.encryption, .identity], responderKeyDistribution: [.encryption, .identity, .signing])
}

/// The initiator starts a pairing (Core, Vol 3 Part H 3.5.1).
public struct SMPPairingRequest: SMPPacket {
  public static let code = SMPCode.pairingRequest
  public var features: SMPPairingFeatures

  public init(features: SMPPairingFeatures) { self.features = features }
  public init(from reader: inout ByteReader) throws(DecodeError) { features = try SMPPairingFeatures(from: &reader) }
  public func encode(into writer: inout ByteWriter) { features.encode(into: &writer) }
  public static var examples: [Self] { [Self(features: .example)] }
}

/// The responder agrees to a pairing (Core, Vol 3 Part H 3.5.2).
public struct SMPPairingResponse: SMPPacket {
  public static let code = SMPCode.pairingResponse
  public var features: SMPPairingFeatures

  public init(features: SMPPairingFeatures) { self.features = features }
  public init(from reader: inout ByteReader) throws(DecodeError) { features = try SMPPairingFeatures(from: &reader) }
  public func encode(into writer: inout ByteWriter) { features.encode(into: &writer) }
  public static var examples: [Self] { [Self(features: .example)] }
}
