import BLECore

/// The first octet of every ATT PDU (Core, Vol 3 Part F 3.3.1).
public struct ATTOpcode: WireNumber, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  public init(_ rawValue: UInt8) { self.rawValue = rawValue }

  /// Bits 0 to 5: the method, without the two flags.
  public var method: UInt8 { rawValue & 0x3F }
  /// Bit 6: a command. A server that does not know it ignores it and never answers.
  public var isCommand: Bool { rawValue & 0x40 != 0 }
  /// Bit 7: the PDU ends with an authentication signature of 12 octets.
  public var hasSignature: Bool { rawValue & 0x80 != 0 }

  public static let errorResponse = ATTOpcode(0x01)
  public static let exchangeMTURequest = ATTOpcode(0x02)
  public static let exchangeMTUResponse = ATTOpcode(0x03)
  public static let findInformationRequest = ATTOpcode(0x04)
  public static let findInformationResponse = ATTOpcode(0x05)
  public static let findByTypeValueRequest = ATTOpcode(0x06)
  public static let findByTypeValueResponse = ATTOpcode(0x07)
  public static let readByTypeRequest = ATTOpcode(0x08)
  public static let readByTypeResponse = ATTOpcode(0x09)
  public static let readRequest = ATTOpcode(0x0A)
  public static let readResponse = ATTOpcode(0x0B)
  public static let readBlobRequest = ATTOpcode(0x0C)
  public static let readBlobResponse = ATTOpcode(0x0D)
  public static let readMultipleRequest = ATTOpcode(0x0E)
  public static let readMultipleResponse = ATTOpcode(0x0F)
  public static let readByGroupTypeRequest = ATTOpcode(0x10)
  public static let readByGroupTypeResponse = ATTOpcode(0x11)
  public static let writeRequest = ATTOpcode(0x12)
  public static let writeResponse = ATTOpcode(0x13)
  public static let prepareWriteRequest = ATTOpcode(0x16)
  public static let prepareWriteResponse = ATTOpcode(0x17)
  public static let executeWriteRequest = ATTOpcode(0x18)
  public static let executeWriteResponse = ATTOpcode(0x19)
  public static let handleValueNotification = ATTOpcode(0x1B)
  public static let handleValueIndication = ATTOpcode(0x1D)
  public static let handleValueConfirmation = ATTOpcode(0x1E)
  public static let readMultipleVariableRequest = ATTOpcode(0x20)
  public static let readMultipleVariableResponse = ATTOpcode(0x21)
  public static let multipleHandleValueNotification = ATTOpcode(0x23)
  public static let writeCommand = ATTOpcode(0x52)
  public static let signedWriteCommand = ATTOpcode(0xD2)
}

extension ATTOpcode {
  /// The role of a PDU in an exchange (Core, Vol 3 Part F 3.3).
  public enum Role: Sendable {
    /// From the client; the server answers with a response or an error.
    case request
    /// From the server, to a request.
    case response
    /// From the client; never answered.
    case command
    /// From the server; never answered.
    case notification
    /// From the server; the client answers with a confirmation.
    case indication
    /// From the client, to an indication.
    case confirmation
  }

  /// `nil` if the method is unknown. An unknown opcode with the command flag still is a command.
  public var role: Role? {
    switch self {
    case .exchangeMTURequest, .findInformationRequest, .findByTypeValueRequest, .readByTypeRequest, .readRequest,
      .readBlobRequest, .readMultipleRequest, .readByGroupTypeRequest, .writeRequest, .prepareWriteRequest,
      .executeWriteRequest, .readMultipleVariableRequest:
      .request
    case .errorResponse, .exchangeMTUResponse, .findInformationResponse, .findByTypeValueResponse,
      .readByTypeResponse, .readResponse, .readBlobResponse, .readMultipleResponse, .readByGroupTypeResponse,
      .writeResponse, .prepareWriteResponse, .executeWriteResponse, .readMultipleVariableResponse:
      .response
    case .handleValueNotification, .multipleHandleValueNotification: .notification
    case .handleValueIndication: .indication
    case .handleValueConfirmation: .confirmation
    default: isCommand ? .command : nil
    }
  }

  /// A response, a notification or an indication; false for what a client sends and for a method that is not known.
  public var isFromServer: Bool {
    switch role {
    case .response, .notification, .indication: true
    case .request, .command, .confirmation, nil: false
    }
  }

  /// The response that answers this request, or the confirmation that answers an indication; `nil` for anything else.
  public var answer: ATTOpcode? {
    switch role {
    case .request, .indication: ATTOpcode(rawValue + 1)
    default: nil
    }
  }
}

extension ATTOpcode: CustomStringConvertible {
  /// The name in the specification, or the number of an opcode that it does not know.
  public var description: String { Self.names[self] ?? "ATT opcode " + numberText(rawValue, digits: 2) }

  private static let names: [Self: String] = [
    .errorResponse: "ATT_ERROR_RSP", .exchangeMTURequest: "ATT_EXCHANGE_MTU_REQ",
    .exchangeMTUResponse: "ATT_EXCHANGE_MTU_RSP", .findInformationRequest: "ATT_FIND_INFORMATION_REQ",
    .findInformationResponse: "ATT_FIND_INFORMATION_RSP", .findByTypeValueRequest: "ATT_FIND_BY_TYPE_VALUE_REQ",
    .findByTypeValueResponse: "ATT_FIND_BY_TYPE_VALUE_RSP", .readByTypeRequest: "ATT_READ_BY_TYPE_REQ",
    .readByTypeResponse: "ATT_READ_BY_TYPE_RSP", .readRequest: "ATT_READ_REQ", .readResponse: "ATT_READ_RSP",
    .readBlobRequest: "ATT_READ_BLOB_REQ", .readBlobResponse: "ATT_READ_BLOB_RSP",
    .readMultipleRequest: "ATT_READ_MULTIPLE_REQ", .readMultipleResponse: "ATT_READ_MULTIPLE_RSP",
    .readByGroupTypeRequest: "ATT_READ_BY_GROUP_TYPE_REQ", .readByGroupTypeResponse: "ATT_READ_BY_GROUP_TYPE_RSP",
    .writeRequest: "ATT_WRITE_REQ", .writeResponse: "ATT_WRITE_RSP", .prepareWriteRequest: "ATT_PREPARE_WRITE_REQ",
    .prepareWriteResponse: "ATT_PREPARE_WRITE_RSP", .executeWriteRequest: "ATT_EXECUTE_WRITE_REQ",
    .executeWriteResponse: "ATT_EXECUTE_WRITE_RSP", .handleValueNotification: "ATT_HANDLE_VALUE_NTF",
    .handleValueIndication: "ATT_HANDLE_VALUE_IND", .handleValueConfirmation: "ATT_HANDLE_VALUE_CFM",
    .readMultipleVariableRequest: "ATT_READ_MULTIPLE_VARIABLE_REQ",
    .readMultipleVariableResponse: "ATT_READ_MULTIPLE_VARIABLE_RSP",
    .multipleHandleValueNotification: "ATT_MULTIPLE_HANDLE_VALUE_NTF", .writeCommand: "ATT_WRITE_CMD",
    .signedWriteCommand: "ATT_SIGNED_WRITE_CMD",
  ]
}
