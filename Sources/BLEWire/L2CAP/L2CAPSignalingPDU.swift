import BLECore

/// Any command of the signaling channel of an LE link, without its header. A code that is not known is a value.
public enum L2CAPSignalingCommand: Equatable, Sendable {
  case commandReject(L2CAPCommandReject)
  case disconnectionRequest(L2CAPDisconnectionRequest)
  case disconnectionResponse(L2CAPDisconnectionResponse)
  case connectionParameterUpdateRequest(L2CAPConnectionParameterUpdateRequest)
  case connectionParameterUpdateResponse(L2CAPConnectionParameterUpdateResponse)
  case leCreditBasedConnectionRequest(L2CAPLECreditBasedConnectionRequest)
  case leCreditBasedConnectionResponse(L2CAPLECreditBasedConnectionResponse)
  case flowControlCredit(L2CAPFlowControlCredit)
  case creditBasedConnectionRequest(L2CAPCreditBasedConnectionRequest)
  case creditBasedConnectionResponse(L2CAPCreditBasedConnectionResponse)
  case creditBasedReconfigureRequest(L2CAPCreditBasedReconfigureRequest)
  case creditBasedReconfigureResponse(L2CAPCreditBasedReconfigureResponse)
  case unknown(L2CAPSignalingCode, data: ArraySlice<UInt8>)

  public var code: L2CAPSignalingCode {
    switch self {
    case .unknown(let code, _): code
    case .commandReject: .commandReject
    case .disconnectionRequest: .disconnectionRequest
    case .disconnectionResponse: .disconnectionResponse
    case .connectionParameterUpdateRequest: .connectionParameterUpdateRequest
    case .connectionParameterUpdateResponse: .connectionParameterUpdateResponse
    case .leCreditBasedConnectionRequest: .leCreditBasedConnectionRequest
    case .leCreditBasedConnectionResponse: .leCreditBasedConnectionResponse
    case .flowControlCredit: .flowControlCredit
    case .creditBasedConnectionRequest: .creditBasedConnectionRequest
    case .creditBasedConnectionResponse: .creditBasedConnectionResponse
    case .creditBasedReconfigureRequest: .creditBasedReconfigureRequest
    case .creditBasedReconfigureResponse: .creditBasedReconfigureResponse
    }
  }

  /// Reads the data of a command; the header has been read.
  ///
  /// - Throws: where the data is shorter or longer than the command.
  public init(code: L2CAPSignalingCode, from reader: inout ByteReader) throws(DecodeError) {
    switch code {
    case .commandReject: self = .commandReject(try .init(from: &reader))
    case .disconnectionRequest: self = .disconnectionRequest(try .init(from: &reader))
    case .disconnectionResponse: self = .disconnectionResponse(try .init(from: &reader))
    case .connectionParameterUpdateRequest: self = .connectionParameterUpdateRequest(try .init(from: &reader))
    case .connectionParameterUpdateResponse: self = .connectionParameterUpdateResponse(try .init(from: &reader))
    case .leCreditBasedConnectionRequest: self = .leCreditBasedConnectionRequest(try .init(from: &reader))
    case .leCreditBasedConnectionResponse: self = .leCreditBasedConnectionResponse(try .init(from: &reader))
    case .flowControlCredit: self = .flowControlCredit(try .init(from: &reader))
    case .creditBasedConnectionRequest: self = .creditBasedConnectionRequest(try .init(from: &reader))
    case .creditBasedConnectionResponse: self = .creditBasedConnectionResponse(try .init(from: &reader))
    case .creditBasedReconfigureRequest: self = .creditBasedReconfigureRequest(try .init(from: &reader))
    case .creditBasedReconfigureResponse: self = .creditBasedReconfigureResponse(try .init(from: &reader))
    default: self = .unknown(code, data: reader.rest())
    }
    try reader.finish()
  }

  /// Writes the command's data, without its header.
  public func encode(into writer: inout ByteWriter) {
    switch self {
    case .commandReject(let packet): packet.encode(into: &writer)
    case .disconnectionRequest(let packet): packet.encode(into: &writer)
    case .disconnectionResponse(let packet): packet.encode(into: &writer)
    case .connectionParameterUpdateRequest(let packet): packet.encode(into: &writer)
    case .connectionParameterUpdateResponse(let packet): packet.encode(into: &writer)
    case .leCreditBasedConnectionRequest(let packet): packet.encode(into: &writer)
    case .leCreditBasedConnectionResponse(let packet): packet.encode(into: &writer)
    case .flowControlCredit(let packet): packet.encode(into: &writer)
    case .creditBasedConnectionRequest(let packet): packet.encode(into: &writer)
    case .creditBasedConnectionResponse(let packet): packet.encode(into: &writer)
    case .creditBasedReconfigureRequest(let packet): packet.encode(into: &writer)
    case .creditBasedReconfigureResponse(let packet): packet.encode(into: &writer)
    case .unknown(_, let data): writer.append(contentsOf: data)
    }
  }
}

/// What a C-frame of an LE link holds: one command and the identifier that matches answers with requests
/// (Core, Vol 3 Part A 4).
public struct L2CAPSignalingPDU: WirePacket, Sendable {
  public static let name = "L2CAP C-frame"

  public var identifier: UInt8
  public var command: L2CAPSignalingCommand

  public init(identifier: UInt8, command: L2CAPSignalingCommand) {
    self.identifier = identifier
    self.command = command
  }

  /// - Throws: where the length does not fit the frame (an LE frame holds exactly one command) or the command. The
  ///   identifier for a rejection is then found by reading `L2CAPSignalingHeader` alone.
  public init(from reader: inout ByteReader) throws(DecodeError) {
    let header = try L2CAPSignalingHeader(from: &reader)
    let data = try reader.octets(Int(header.length), "Data")
    var dataReader = ByteReader(data, layer: reader.layer)
    identifier = header.identifier
    command = try L2CAPSignalingCommand(code: header.code, from: &dataReader)
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(command.code.rawValue)
    writer.append(identifier)
    let lengthOffset = writer.count
    writer.append(UInt16(0))
    command.encode(into: &writer)
    writer.store(UInt16(clamping: writer.count - lengthOffset - 2), at: lengthOffset)
  }

  public static var examples: [Self] {
    [
      Self(identifier: 1, command: .connectionParameterUpdateResponse(.init(result: .accepted))),
      Self(identifier: 2, command: .unknown(L2CAPSignalingCode(0x02), data: [1, 2, 3])),
    ]
  }
}
