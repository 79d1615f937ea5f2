import BLECore

/// A control PDU of the link layer by its opcode (Core, Vol 6 Part B 2.4.2). `encode(into:)` writes what follows the opcode.
/// PDUs that are only read here, in captures, have no public initializer.
public protocol LinkLayerControlPacket: WirePacket {
  static var opcode: UInt8 { get }
}

extension LinkLayerControlPacket {
  /// Opcode and parameters: the payload of a data channel PDU with LLID 3.
  public var payload: [UInt8] {
    var writer = ByteWriter()
    writer.append(Self.opcode)
    encode(into: &writer)
    return writer.octets
  }
}

/// The control PDUs that a link layer acts on, and everything else as what it is.
public enum LinkLayerControlPDU: Equatable, Sendable {
  case connectionUpdate(ConnectionUpdateIndication)
  case channelMap(ChannelMapIndication)
  case terminate(TerminateIndication)
  case encryptionRequest(EncryptionRequest)
  case encryptionResponse(EncryptionResponse)
  case startEncryptionRequest
  case startEncryptionResponse
  case unknownResponse(UnknownResponse)
  case featureRequest(FeatureRequest)
  case featureResponse(FeatureResponse)
  case pauseEncryptionRequest
  case pauseEncryptionResponse
  case version(VersionIndication)
  case reject(RejectIndication)
  case peripheralFeatureRequest(PeripheralFeatureRequest)
  case connectionParameterRequest(ConnectionParameterRequest)
  case connectionParameterResponse(ConnectionParameterResponse)
  case rejectExtended(RejectExtendedIndication)
  case pingRequest
  case pingResponse
  case lengthRequest(LengthRequest)
  case lengthResponse(LengthResponse)
  case phyRequest(PhyRequest)
  case phyResponse(PhyResponse)
  case phyUpdate(PhyUpdateIndication)
  case minimumUsedChannels(MinimumUsedChannelsIndication)
  /// Declared elsewhere or not at all: the opcode and the parameters as they came.
  case other(opcode: UInt8, parameters: ArraySlice<UInt8>)

  /// Reads opcode and parameters to the end.
  public init(payload: ArraySlice<UInt8>) throws(DecodeError) {
    var reader = ByteReader(payload, layer: WireLayer.linkLayerControl.rawValue)
    let opcode = try reader.uint8("Opcode")
    switch opcode {
    case ConnectionUpdateIndication.opcode: self = .connectionUpdate(try .init(from: &reader))
    case ChannelMapIndication.opcode: self = .channelMap(try .init(from: &reader))
    case TerminateIndication.opcode: self = .terminate(try .init(from: &reader))
    case EncryptionRequest.opcode: self = .encryptionRequest(try .init(from: &reader))
    case EncryptionResponse.opcode: self = .encryptionResponse(try .init(from: &reader))
    case StartEncryptionRequest.opcode: self = .startEncryptionRequest
    case StartEncryptionResponse.opcode: self = .startEncryptionResponse
    case UnknownResponse.opcode: self = .unknownResponse(try .init(from: &reader))
    case FeatureRequest.opcode: self = .featureRequest(try .init(from: &reader))
    case FeatureResponse.opcode: self = .featureResponse(try .init(from: &reader))
    case PauseEncryptionRequest.opcode: self = .pauseEncryptionRequest
    case PauseEncryptionResponse.opcode: self = .pauseEncryptionResponse
    case VersionIndication.opcode: self = .version(try .init(from: &reader))
    case RejectIndication.opcode: self = .reject(try .init(from: &reader))
    case PeripheralFeatureRequest.opcode: self = .peripheralFeatureRequest(try .init(from: &reader))
    case ConnectionParameterRequest.opcode: self = .connectionParameterRequest(try .init(from: &reader))
    case ConnectionParameterResponse.opcode: self = .connectionParameterResponse(try .init(from: &reader))
    case RejectExtendedIndication.opcode: self = .rejectExtended(try .init(from: &reader))
    case PingRequest.opcode: self = .pingRequest
    case PingResponse.opcode: self = .pingResponse
    case LengthRequest.opcode: self = .lengthRequest(try .init(from: &reader))
    case LengthResponse.opcode: self = .lengthResponse(try .init(from: &reader))
    case PhyRequest.opcode: self = .phyRequest(try .init(from: &reader))
    case PhyResponse.opcode: self = .phyResponse(try .init(from: &reader))
    case PhyUpdateIndication.opcode: self = .phyUpdate(try .init(from: &reader))
    case MinimumUsedChannelsIndication.opcode: self = .minimumUsedChannels(try .init(from: &reader))
    default: self = .other(opcode: opcode, parameters: reader.rest())
    }
    try reader.finish()
  }
}
