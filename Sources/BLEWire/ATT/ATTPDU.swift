import BLECore

/// Any PDU of the Attribute Protocol (Core, Vol 3 Part F 3.4). An opcode that is not known is a value.
public enum ATTPDU: Equatable, Sendable {
  case errorResponse(ATTErrorResponse)
  case exchangeMTURequest(ATTExchangeMTURequest)
  case exchangeMTUResponse(ATTExchangeMTUResponse)
  case findInformationRequest(ATTFindInformationRequest)
  case findInformationResponse(ATTFindInformationResponse)
  case findByTypeValueRequest(ATTFindByTypeValueRequest)
  case findByTypeValueResponse(ATTFindByTypeValueResponse)
  case readByTypeRequest(ATTReadByTypeRequest)
  case readByTypeResponse(ATTReadByTypeResponse)
  case readRequest(ATTReadRequest)
  case readResponse(ATTReadResponse)
  case readBlobRequest(ATTReadBlobRequest)
  case readBlobResponse(ATTReadBlobResponse)
  case readMultipleRequest(ATTReadMultipleRequest)
  case readMultipleResponse(ATTReadMultipleResponse)
  case readByGroupTypeRequest(ATTReadByGroupTypeRequest)
  case readByGroupTypeResponse(ATTReadByGroupTypeResponse)
  case writeRequest(ATTWriteRequest)
  case writeResponse(ATTWriteResponse)
  case prepareWriteRequest(ATTPrepareWriteRequest)
  case prepareWriteResponse(ATTPrepareWriteResponse)
  case executeWriteRequest(ATTExecuteWriteRequest)
  case executeWriteResponse(ATTExecuteWriteResponse)
  case handleValueNotification(ATTHandleValueNotification)
  case handleValueIndication(ATTHandleValueIndication)
  case handleValueConfirmation(ATTHandleValueConfirmation)
  case readMultipleVariableRequest(ATTReadMultipleVariableRequest)
  case readMultipleVariableResponse(ATTReadMultipleVariableResponse)
  case multipleHandleValueNotification(ATTMultipleHandleValueNotification)
  case writeCommand(ATTWriteCommand)
  case signedWriteCommand(ATTSignedWriteCommand)
  case unknown(ATTOpcode, parameters: ArraySlice<UInt8>)

  /// Takes a whole PDU apart. Values share the storage of `octets`.
  ///
  /// - Throws: where the PDU is empty, shorter than its fixed part, or longer than a PDU of fixed length.
  public init(_ octets: ArraySlice<UInt8>) throws(DecodeError) {
    var reader = ByteReader(octets, layer: "ATT")
    let opcode = ATTOpcode(try reader.uint8("Attribute Opcode"))
    switch opcode {
    case .errorResponse: self = .errorResponse(try .init(from: &reader))
    case .exchangeMTURequest: self = .exchangeMTURequest(try .init(from: &reader))
    case .exchangeMTUResponse: self = .exchangeMTUResponse(try .init(from: &reader))
    case .findInformationRequest: self = .findInformationRequest(try .init(from: &reader))
    case .findInformationResponse: self = .findInformationResponse(try .init(from: &reader))
    case .findByTypeValueRequest: self = .findByTypeValueRequest(try .init(from: &reader))
    case .findByTypeValueResponse: self = .findByTypeValueResponse(try .init(from: &reader))
    case .readByTypeRequest: self = .readByTypeRequest(try .init(from: &reader))
    case .readByTypeResponse: self = .readByTypeResponse(try .init(from: &reader))
    case .readRequest: self = .readRequest(try .init(from: &reader))
    case .readResponse: self = .readResponse(try .init(from: &reader))
    case .readBlobRequest: self = .readBlobRequest(try .init(from: &reader))
    case .readBlobResponse: self = .readBlobResponse(try .init(from: &reader))
    case .readMultipleRequest: self = .readMultipleRequest(try .init(from: &reader))
    case .readMultipleResponse: self = .readMultipleResponse(try .init(from: &reader))
    case .readByGroupTypeRequest: self = .readByGroupTypeRequest(try .init(from: &reader))
    case .readByGroupTypeResponse: self = .readByGroupTypeResponse(try .init(from: &reader))
    case .writeRequest: self = .writeRequest(try .init(from: &reader))
    case .writeResponse: self = .writeResponse(try .init(from: &reader))
    case .prepareWriteRequest: self = .prepareWriteRequest(try .init(from: &reader))
    case .prepareWriteResponse: self = .prepareWriteResponse(try .init(from: &reader))
    case .executeWriteRequest: self = .executeWriteRequest(try .init(from: &reader))
    case .executeWriteResponse: self = .executeWriteResponse(try .init(from: &reader))
    case .handleValueNotification: self = .handleValueNotification(try .init(from: &reader))
    case .handleValueIndication: self = .handleValueIndication(try .init(from: &reader))
    case .handleValueConfirmation: self = .handleValueConfirmation(try .init(from: &reader))
    case .readMultipleVariableRequest: self = .readMultipleVariableRequest(try .init(from: &reader))
    case .readMultipleVariableResponse: self = .readMultipleVariableResponse(try .init(from: &reader))
    case .multipleHandleValueNotification: self = .multipleHandleValueNotification(try .init(from: &reader))
    case .writeCommand: self = .writeCommand(try .init(from: &reader))
    case .signedWriteCommand: self = .signedWriteCommand(try .init(from: &reader))
    default: self = .unknown(opcode, parameters: reader.rest())
    }
    try reader.finish()
  }

  /// The first octet.
  public var opcode: ATTOpcode {
    switch self {
    case .unknown(let opcode, _): opcode
    case .errorResponse: .errorResponse
    case .exchangeMTURequest: .exchangeMTURequest
    case .exchangeMTUResponse: .exchangeMTUResponse
    case .findInformationRequest: .findInformationRequest
    case .findInformationResponse: .findInformationResponse
    case .findByTypeValueRequest: .findByTypeValueRequest
    case .findByTypeValueResponse: .findByTypeValueResponse
    case .readByTypeRequest: .readByTypeRequest
    case .readByTypeResponse: .readByTypeResponse
    case .readRequest: .readRequest
    case .readResponse: .readResponse
    case .readBlobRequest: .readBlobRequest
    case .readBlobResponse: .readBlobResponse
    case .readMultipleRequest: .readMultipleRequest
    case .readMultipleResponse: .readMultipleResponse
    case .readByGroupTypeRequest: .readByGroupTypeRequest
    case .readByGroupTypeResponse: .readByGroupTypeResponse
    case .writeRequest: .writeRequest
    case .writeResponse: .writeResponse
    case .prepareWriteRequest: .prepareWriteRequest
    case .prepareWriteResponse: .prepareWriteResponse
    case .executeWriteRequest: .executeWriteRequest
    case .executeWriteResponse: .executeWriteResponse
    case .handleValueNotification: .handleValueNotification
    case .handleValueIndication: .handleValueIndication
    case .handleValueConfirmation: .handleValueConfirmation
    case .readMultipleVariableRequest: .readMultipleVariableRequest
    case .readMultipleVariableResponse: .readMultipleVariableResponse
    case .multipleHandleValueNotification: .multipleHandleValueNotification
    case .writeCommand: .writeCommand
    case .signedWriteCommand: .signedWriteCommand
    }
  }

  /// Writes opcode and parameters.
  public func encode(into writer: inout ByteWriter) {
    switch self {
    case .errorResponse(let packet): packet.encodePDU(into: &writer)
    case .exchangeMTURequest(let packet): packet.encodePDU(into: &writer)
    case .exchangeMTUResponse(let packet): packet.encodePDU(into: &writer)
    case .findInformationRequest(let packet): packet.encodePDU(into: &writer)
    case .findInformationResponse(let packet): packet.encodePDU(into: &writer)
    case .findByTypeValueRequest(let packet): packet.encodePDU(into: &writer)
    case .findByTypeValueResponse(let packet): packet.encodePDU(into: &writer)
    case .readByTypeRequest(let packet): packet.encodePDU(into: &writer)
    case .readByTypeResponse(let packet): packet.encodePDU(into: &writer)
    case .readRequest(let packet): packet.encodePDU(into: &writer)
    case .readResponse(let packet): packet.encodePDU(into: &writer)
    case .readBlobRequest(let packet): packet.encodePDU(into: &writer)
    case .readBlobResponse(let packet): packet.encodePDU(into: &writer)
    case .readMultipleRequest(let packet): packet.encodePDU(into: &writer)
    case .readMultipleResponse(let packet): packet.encodePDU(into: &writer)
    case .readByGroupTypeRequest(let packet): packet.encodePDU(into: &writer)
    case .readByGroupTypeResponse(let packet): packet.encodePDU(into: &writer)
    case .writeRequest(let packet): packet.encodePDU(into: &writer)
    case .writeResponse(let packet): packet.encodePDU(into: &writer)
    case .prepareWriteRequest(let packet): packet.encodePDU(into: &writer)
    case .prepareWriteResponse(let packet): packet.encodePDU(into: &writer)
    case .executeWriteRequest(let packet): packet.encodePDU(into: &writer)
    case .executeWriteResponse(let packet): packet.encodePDU(into: &writer)
    case .handleValueNotification(let packet): packet.encodePDU(into: &writer)
    case .handleValueIndication(let packet): packet.encodePDU(into: &writer)
    case .handleValueConfirmation(let packet): packet.encodePDU(into: &writer)
    case .readMultipleVariableRequest(let packet): packet.encodePDU(into: &writer)
    case .readMultipleVariableResponse(let packet): packet.encodePDU(into: &writer)
    case .multipleHandleValueNotification(let packet): packet.encodePDU(into: &writer)
    case .writeCommand(let packet): packet.encodePDU(into: &writer)
    case .signedWriteCommand(let packet): packet.encodePDU(into: &writer)
    case .unknown(let opcode, let parameters):
      writer.append(opcode.rawValue)
      writer.append(contentsOf: parameters)
    }
  }

  /// Opcode and parameters.
  public var octets: [UInt8] {
    var writer = ByteWriter()
    encode(into: &writer)
    return writer.octets
  }
}
