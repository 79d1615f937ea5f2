import BLECore

/// What a signaling command asks for (Core, Vol 3 Part A 4, table 4.2). Only what an LE link uses has a name.
public struct L2CAPSignalingCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  public init(_ rawValue: UInt8) { self.rawValue = rawValue }

  public static let commandReject = L2CAPSignalingCode(0x01)
  public static let disconnectionRequest = L2CAPSignalingCode(0x06)
  public static let disconnectionResponse = L2CAPSignalingCode(0x07)
  public static let connectionParameterUpdateRequest = L2CAPSignalingCode(0x12)
  public static let connectionParameterUpdateResponse = L2CAPSignalingCode(0x13)
  public static let leCreditBasedConnectionRequest = L2CAPSignalingCode(0x14)
  public static let leCreditBasedConnectionResponse = L2CAPSignalingCode(0x15)
  public static let flowControlCredit = L2CAPSignalingCode(0x16)
  public static let creditBasedConnectionRequest = L2CAPSignalingCode(0x17)
  public static let creditBasedConnectionResponse = L2CAPSignalingCode(0x18)
  public static let creditBasedReconfigureRequest = L2CAPSignalingCode(0x19)
  public static let creditBasedReconfigureResponse = L2CAPSignalingCode(0x1A)

  /// The name in the specification, or the number of a code that has none here.
  public var description: String { Self.names[self] ?? "L2CAP signaling code " + numberText(rawValue, digits: 2) }

  private static let names: [Self: String] = [
    .commandReject: "L2CAP_COMMAND_REJECT_RSP", .disconnectionRequest: "L2CAP_DISCONNECTION_REQ",
    .disconnectionResponse: "L2CAP_DISCONNECTION_RSP",
    .connectionParameterUpdateRequest: "L2CAP_CONNECTION_PARAMETER_UPDATE_REQ",
    .connectionParameterUpdateResponse: "L2CAP_CONNECTION_PARAMETER_UPDATE_RSP",
    .leCreditBasedConnectionRequest: "L2CAP_LE_CREDIT_BASED_CONNECTION_REQ",
    .leCreditBasedConnectionResponse: "L2CAP_LE_CREDIT_BASED_CONNECTION_RSP",
    .flowControlCredit: "L2CAP_FLOW_CONTROL_CREDIT_IND",
    .creditBasedConnectionRequest: "L2CAP_CREDIT_BASED_CONNECTION_REQ",
    .creditBasedConnectionResponse: "L2CAP_CREDIT_BASED_CONNECTION_RSP",
    .creditBasedReconfigureRequest: "L2CAP_CREDIT_BASED_RECONFIGURE_REQ",
    .creditBasedReconfigureResponse: "L2CAP_CREDIT_BASED_RECONFIGURE_RSP",
  ]
}

/// The parameters of one signaling command.
public protocol L2CAPSignalingPacket: WirePacket, Sendable {
  static var code: L2CAPSignalingCode { get }
}

extension L2CAPSignalingPacket {
  public static var name: String { code.description }
}

/// The four octets in front of every signaling command. Read on its own where the command behind it cannot be
/// understood, for the identifier goes into the rejection.
public struct L2CAPSignalingHeader: Equatable, Sendable {
  public var code: L2CAPSignalingCode
  /// Matches a response with its request; 0x00 is never valid.
  public var identifier: UInt8
  /// Octets of the command's data.
  public var length: UInt16

  public init(code: L2CAPSignalingCode, identifier: UInt8, length: UInt16) {
    self.code = code
    self.identifier = identifier
    self.length = length
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    code = L2CAPSignalingCode(try reader.uint8("Code"))
    identifier = try reader.uint8("Identifier")
    length = try reader.uint16("Data Length")
  }
}
