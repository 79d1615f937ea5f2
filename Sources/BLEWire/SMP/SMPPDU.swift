import BLECore

/// Any command of the Security Manager Protocol (Core, Vol 3 Part H 3.3). A code that is not known is a value.
public enum SMPPDU: Equatable, Sendable {
  case pairingRequest(SMPPairingRequest)
  case pairingResponse(SMPPairingResponse)
  case pairingConfirm(SMPPairingConfirm)
  case pairingRandom(SMPPairingRandom)
  case pairingFailed(SMPPairingFailed)
  case encryptionInformation(SMPEncryptionInformation)
  case centralIdentification(SMPCentralIdentification)
  case identityInformation(SMPIdentityInformation)
  case identityAddressInformation(SMPIdentityAddressInformation)
  case signingInformation(SMPSigningInformation)
  case securityRequest(SMPSecurityRequest)
  case pairingPublicKey(SMPPairingPublicKey)
  case pairingDHKeyCheck(SMPPairingDHKeyCheck)
  case pairingKeypressNotification(SMPPairingKeypressNotification)
  case unknown(SMPCode, parameters: ArraySlice<UInt8>)

  /// Takes a whole command apart.
  ///
  /// - Throws: where the command is empty, or shorter or longer than its code says.
  public init(_ octets: ArraySlice<UInt8>) throws(DecodeError) {
    var reader = ByteReader(octets, layer: "SMP")
    let code = SMPCode(try reader.uint8("Code"))
    switch code {
    case .pairingRequest: self = .pairingRequest(try .init(from: &reader))
    case .pairingResponse: self = .pairingResponse(try .init(from: &reader))
    case .pairingConfirm: self = .pairingConfirm(try .init(from: &reader))
    case .pairingRandom: self = .pairingRandom(try .init(from: &reader))
    case .pairingFailed: self = .pairingFailed(try .init(from: &reader))
    case .encryptionInformation: self = .encryptionInformation(try .init(from: &reader))
    case .centralIdentification: self = .centralIdentification(try .init(from: &reader))
    case .identityInformation: self = .identityInformation(try .init(from: &reader))
    case .identityAddressInformation: self = .identityAddressInformation(try .init(from: &reader))
    case .signingInformation: self = .signingInformation(try .init(from: &reader))
    case .securityRequest: self = .securityRequest(try .init(from: &reader))
    case .pairingPublicKey: self = .pairingPublicKey(try .init(from: &reader))
    case .pairingDHKeyCheck: self = .pairingDHKeyCheck(try .init(from: &reader))
    case .pairingKeypressNotification: self = .pairingKeypressNotification(try .init(from: &reader))
    default: self = .unknown(code, parameters: reader.rest())
    }
    try reader.finish()
  }

  /// The first octet.
  public var code: SMPCode {
    switch self {
    case .unknown(let code, _): code
    case .pairingRequest: .pairingRequest
    case .pairingResponse: .pairingResponse
    case .pairingConfirm: .pairingConfirm
    case .pairingRandom: .pairingRandom
    case .pairingFailed: .pairingFailed
    case .encryptionInformation: .encryptionInformation
    case .centralIdentification: .centralIdentification
    case .identityInformation: .identityInformation
    case .identityAddressInformation: .identityAddressInformation
    case .signingInformation: .signingInformation
    case .securityRequest: .securityRequest
    case .pairingPublicKey: .pairingPublicKey
    case .pairingDHKeyCheck: .pairingDHKeyCheck
    case .pairingKeypressNotification: .pairingKeypressNotification
    }
  }

  /// Writes code and parameters.
  public func encode(into writer: inout ByteWriter) {
    switch self {
    case .pairingRequest(let packet): packet.encodePDU(into: &writer)
    case .pairingResponse(let packet): packet.encodePDU(into: &writer)
    case .pairingConfirm(let packet): packet.encodePDU(into: &writer)
    case .pairingRandom(let packet): packet.encodePDU(into: &writer)
    case .pairingFailed(let packet): packet.encodePDU(into: &writer)
    case .encryptionInformation(let packet): packet.encodePDU(into: &writer)
    case .centralIdentification(let packet): packet.encodePDU(into: &writer)
    case .identityInformation(let packet): packet.encodePDU(into: &writer)
    case .identityAddressInformation(let packet): packet.encodePDU(into: &writer)
    case .signingInformation(let packet): packet.encodePDU(into: &writer)
    case .securityRequest(let packet): packet.encodePDU(into: &writer)
    case .pairingPublicKey(let packet): packet.encodePDU(into: &writer)
    case .pairingDHKeyCheck(let packet): packet.encodePDU(into: &writer)
    case .pairingKeypressNotification(let packet): packet.encodePDU(into: &writer)
    case .unknown(let code, let parameters):
      writer.append(code.rawValue)
      writer.append(contentsOf: parameters)
    }
  }

  /// Code and parameters.
  public var octets: [UInt8] {
    var writer = ByteWriter()
    encode(into: &writer)
    return writer.octets
  }
}
