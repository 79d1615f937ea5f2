import BLECore

/// The first octet of every SMP command (Core, Vol 3 Part H 3.3).
public struct SMPCode: WireNumber, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  public init(_ rawValue: UInt8) { self.rawValue = rawValue }

  public static let pairingRequest = SMPCode(0x01)
  public static let pairingResponse = SMPCode(0x02)
  public static let pairingConfirm = SMPCode(0x03)
  public static let pairingRandom = SMPCode(0x04)
  public static let pairingFailed = SMPCode(0x05)
  public static let encryptionInformation = SMPCode(0x06)
  public static let centralIdentification = SMPCode(0x07)
  public static let identityInformation = SMPCode(0x08)
  public static let identityAddressInformation = SMPCode(0x09)
  public static let signingInformation = SMPCode(0x0A)
  public static let securityRequest = SMPCode(0x0B)
  public static let pairingPublicKey = SMPCode(0x0C)
  public static let pairingDHKeyCheck = SMPCode(0x0D)
  public static let pairingKeypressNotification = SMPCode(0x0E)

  /// The name in the specification, or the number of a code that it does not know.
  public var description: String { Self.names[self] ?? "SMP code " + numberText(rawValue, digits: 2) }

  private static let names: [Self: String] = [
    .pairingRequest: "Pairing Request", .pairingResponse: "Pairing Response", .pairingConfirm: "Pairing Confirm",
    .pairingRandom: "Pairing Random", .pairingFailed: "Pairing Failed",
    .encryptionInformation: "Encryption Information", .centralIdentification: "Central Identification",
    .identityInformation: "Identity Information", .identityAddressInformation: "Identity Address Information",
    .signingInformation: "Signing Information", .securityRequest: "Security Request",
    .pairingPublicKey: "Pairing Public Key", .pairingDHKeyCheck: "Pairing DHKey Check",
    .pairingKeypressNotification: "Pairing Keypress Notification",
  ]
}

/// One command of the Security Manager Protocol. `encode(into:)` writes the parameters, `encodePDU(into:)` the code in front.
public protocol SMPPacket: WirePacket, Sendable {
  static var code: SMPCode { get }
}

extension SMPPacket {
  public static var name: String { "SMP " + code.description }

  var parts: PacketParts<SMPCode> { (Self.code, { encode(into: &$0) }) }

  /// Writes code and parameters.
  public func encodePDU(into writer: inout ByteWriter) {
    writer.append(Self.code.rawValue)
    encode(into: &writer)
  }

  /// Code and parameters.
  public var pdu: [UInt8] {
    var writer = ByteWriter()
    encodePDU(into: &writer)
    return writer.octets
  }
}

/// Octets of a key in the order they travel, least significant first. Never printed: a description that ends up in a log
/// says only that there is a key.
public struct SMPKeyOctets: Equatable, Sendable, Redacted {
  public static let count = 16
  /// Sixteen.
  public let octets: ArraySlice<UInt8>

  /// Cut or filled up with zeros to sixteen.
  public init(_ octets: some Collection<UInt8>) {
    var writer = ByteWriter(capacity: Self.count)
    writer.append(contentsOf: octets, paddedTo: Self.count)
    self.octets = writer.octets[...]
  }
}

extension SMPKeyOctets: WireValue {
  init(from reader: inout ByteReader, field: StaticString) throws(DecodeError) {
    self.init(try reader.octets(Self.count, field))
  }

  func encode(into writer: inout ByteWriter) { writer.append(contentsOf: octets) }
  static var example: Self { SMPKeyOctets(0..<16) }
}
