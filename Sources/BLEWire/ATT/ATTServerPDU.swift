import BLECore

/// What a server sends: responses, notifications and indications (Core, Vol 3 Part F 3.4). Any other opcode is `unknown`.
public enum ATTServerPDU: Equatable, Sendable {
  case errorResponse(ATTErrorResponse)
  case exchangeMTUResponse(ATTExchangeMTUResponse)
  case findInformationResponse(ATTFindInformationResponse)
  case findByTypeValueResponse(ATTFindByTypeValueResponse)
  case readByTypeResponse(ATTReadByTypeResponse)
  case readResponse(ATTReadResponse)
  case readBlobResponse(ATTReadBlobResponse)
  case readMultipleResponse(ATTReadMultipleResponse)
  case readByGroupTypeResponse(ATTReadByGroupTypeResponse)
  case writeResponse(ATTWriteResponse)
  case prepareWriteResponse(ATTPrepareWriteResponse)
  case executeWriteResponse(ATTExecuteWriteResponse)
  case handleValueNotification(ATTHandleValueNotification)
  case handleValueIndication(ATTHandleValueIndication)
  case readMultipleVariableResponse(ATTReadMultipleVariableResponse)
  case multipleHandleValueNotification(ATTMultipleHandleValueNotification)
  case unknown(ATTOpcode, parameters: ArraySlice<UInt8>)

  /// Parses a whole PDU. Values share the storage of `octets`.
  ///
  /// - Throws: where the PDU is empty, shorter than its fixed part, or longer than a PDU of fixed length.
  public init(_ octets: ArraySlice<UInt8>) throws(DecodeError) {
    var reader = ByteReader(octets, layer: "ATT")
    let opcode = ATTOpcode(try reader.uint8("Attribute Opcode"))
    switch opcode {
    case .errorResponse: self = .errorResponse(try .init(from: &reader))
    case .exchangeMTUResponse: self = .exchangeMTUResponse(try .init(from: &reader))
    case .findInformationResponse: self = .findInformationResponse(try .init(from: &reader))
    case .findByTypeValueResponse: self = .findByTypeValueResponse(try .init(from: &reader))
    case .readByTypeResponse: self = .readByTypeResponse(try .init(from: &reader))
    case .readResponse: self = .readResponse(try .init(from: &reader))
    case .readBlobResponse: self = .readBlobResponse(try .init(from: &reader))
    case .readMultipleResponse: self = .readMultipleResponse(try .init(from: &reader))
    case .readByGroupTypeResponse: self = .readByGroupTypeResponse(try .init(from: &reader))
    case .writeResponse: self = .writeResponse(try .init(from: &reader))
    case .prepareWriteResponse: self = .prepareWriteResponse(try .init(from: &reader))
    case .executeWriteResponse: self = .executeWriteResponse(try .init(from: &reader))
    case .handleValueNotification: self = .handleValueNotification(try .init(from: &reader))
    case .handleValueIndication: self = .handleValueIndication(try .init(from: &reader))
    case .readMultipleVariableResponse: self = .readMultipleVariableResponse(try .init(from: &reader))
    case .multipleHandleValueNotification: self = .multipleHandleValueNotification(try .init(from: &reader))
    default: self = .unknown(opcode, parameters: reader.rest())
    }
    try reader.finish()
  }

  /// The first octet.
  public var opcode: ATTOpcode { parts.code }

  /// Opcode and parameters.
  public var octets: [UInt8] {
    var writer = ByteWriter()
    writer.append(opcode)
    parts.write(&writer)
    return writer.octets
  }

  private var parts: PacketParts<ATTOpcode> {
    switch self {
    case .errorResponse(let packet): packet.parts
    case .exchangeMTUResponse(let packet): packet.parts
    case .findInformationResponse(let packet): packet.parts
    case .findByTypeValueResponse(let packet): packet.parts
    case .readByTypeResponse(let packet): packet.parts
    case .readResponse(let packet): packet.parts
    case .readBlobResponse(let packet): packet.parts
    case .readMultipleResponse(let packet): packet.parts
    case .readByGroupTypeResponse(let packet): packet.parts
    case .writeResponse(let packet): packet.parts
    case .prepareWriteResponse(let packet): packet.parts
    case .executeWriteResponse(let packet): packet.parts
    case .handleValueNotification(let packet): packet.parts
    case .handleValueIndication(let packet): packet.parts
    case .readMultipleVariableResponse(let packet): packet.parts
    case .multipleHandleValueNotification(let packet): packet.parts
    case .unknown(let opcode, let parameters): (opcode, { $0.append(contentsOf: parameters) })
    }
  }
}
