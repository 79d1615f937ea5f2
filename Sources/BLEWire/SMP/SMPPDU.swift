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
  public var code: SMPCode { parts.code }

  /// Writes code and parameters.
  public func encode(into writer: inout ByteWriter) {
    writer.append(code)
    parts.write(&writer)
  }

  /// Code and parameters.
  public var octets: [UInt8] {
    var writer = ByteWriter()
    encode(into: &writer)
    return writer.octets
  }

  private var parts: PacketParts<SMPCode> {
    switch self {
    case .pairingRequest(let packet): packet.parts
    case .pairingResponse(let packet): packet.parts
    case .pairingConfirm(let packet): packet.parts
    case .pairingRandom(let packet): packet.parts
    case .pairingFailed(let packet): packet.parts
    case .encryptionInformation(let packet): packet.parts
    case .centralIdentification(let packet): packet.parts
    case .identityInformation(let packet): packet.parts
    case .identityAddressInformation(let packet): packet.parts
    case .signingInformation(let packet): packet.parts
    case .securityRequest(let packet): packet.parts
    case .pairingPublicKey(let packet): packet.parts
    case .pairingDHKeyCheck(let packet): packet.parts
    case .pairingKeypressNotification(let packet): packet.parts
    case .unknown(let code, let parameters): (code, { $0.append(contentsOf: parameters) })
    }
  }
}
