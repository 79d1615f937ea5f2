import BLECore

/// What a client sends: requests, commands and confirmations (Core, Vol 3 Part F 3.4). Any other opcode is `unknown`.
public enum ATTClientPDU: Equatable, Sendable {
  case exchangeMTURequest(ATTExchangeMTURequest)
  case findInformationRequest(ATTFindInformationRequest)
  case findByTypeValueRequest(ATTFindByTypeValueRequest)
  case readByTypeRequest(ATTReadByTypeRequest)
  case readRequest(ATTReadRequest)
  case readBlobRequest(ATTReadBlobRequest)
  case readMultipleRequest(ATTReadMultipleRequest)
  case readByGroupTypeRequest(ATTReadByGroupTypeRequest)
  case writeRequest(ATTWriteRequest)
  case prepareWriteRequest(ATTPrepareWriteRequest)
  case executeWriteRequest(ATTExecuteWriteRequest)
  case handleValueConfirmation(ATTHandleValueConfirmation)
  case readMultipleVariableRequest(ATTReadMultipleVariableRequest)
  case writeCommand(ATTWriteCommand)
  case signedWriteCommand(ATTSignedWriteCommand)
  case unknown(ATTOpcode, parameters: ArraySlice<UInt8>)

  /// Parses a whole PDU. Values share the storage of `octets`.
  ///
  /// - Throws: where the PDU is empty, shorter than its fixed part, or longer than a PDU of fixed length.
  public init(_ octets: ArraySlice<UInt8>) throws(DecodeError) {
    var reader = ByteReader(octets, layer: "ATT")
    let opcode = ATTOpcode(try reader.uint8("Attribute Opcode"))
    switch opcode {
    case .exchangeMTURequest: self = .exchangeMTURequest(try .init(from: &reader))
    case .findInformationRequest: self = .findInformationRequest(try .init(from: &reader))
    case .findByTypeValueRequest: self = .findByTypeValueRequest(try .init(from: &reader))
    case .readByTypeRequest: self = .readByTypeRequest(try .init(from: &reader))
    case .readRequest: self = .readRequest(try .init(from: &reader))
    case .readBlobRequest: self = .readBlobRequest(try .init(from: &reader))
    case .readMultipleRequest: self = .readMultipleRequest(try .init(from: &reader))
    case .readByGroupTypeRequest: self = .readByGroupTypeRequest(try .init(from: &reader))
    case .writeRequest: self = .writeRequest(try .init(from: &reader))
    case .prepareWriteRequest: self = .prepareWriteRequest(try .init(from: &reader))
    case .executeWriteRequest: self = .executeWriteRequest(try .init(from: &reader))
    case .handleValueConfirmation: self = .handleValueConfirmation(try .init(from: &reader))
    case .readMultipleVariableRequest: self = .readMultipleVariableRequest(try .init(from: &reader))
    case .writeCommand: self = .writeCommand(try .init(from: &reader))
    case .signedWriteCommand: self = .signedWriteCommand(try .init(from: &reader))
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
    case .exchangeMTURequest(let packet): packet.parts
    case .findInformationRequest(let packet): packet.parts
    case .findByTypeValueRequest(let packet): packet.parts
    case .readByTypeRequest(let packet): packet.parts
    case .readRequest(let packet): packet.parts
    case .readBlobRequest(let packet): packet.parts
    case .readMultipleRequest(let packet): packet.parts
    case .readByGroupTypeRequest(let packet): packet.parts
    case .writeRequest(let packet): packet.parts
    case .prepareWriteRequest(let packet): packet.parts
    case .executeWriteRequest(let packet): packet.parts
    case .handleValueConfirmation(let packet): packet.parts
    case .readMultipleVariableRequest(let packet): packet.parts
    case .writeCommand(let packet): packet.parts
    case .signedWriteCommand(let packet): packet.parts
    case .unknown(let opcode, let parameters): (opcode, { $0.append(contentsOf: parameters) })
    }
  }
}
