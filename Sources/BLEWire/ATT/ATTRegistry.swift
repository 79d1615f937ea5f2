/// All PDUs of the Attribute Protocol.
public enum ATTRegistry {
  public static let all: [PacketDescription] = [
    describe(ATTErrorResponse.self),
    describe(ATTExchangeMTURequest.self),
    describe(ATTExchangeMTUResponse.self),
    describe(ATTFindInformationRequest.self),
    describe(ATTFindInformationResponse.self),
    describe(ATTFindByTypeValueRequest.self),
    describe(ATTFindByTypeValueResponse.self),
    describe(ATTReadByTypeRequest.self),
    describe(ATTReadByTypeResponse.self),
    describe(ATTReadRequest.self),
    describe(ATTReadResponse.self),
    describe(ATTReadBlobRequest.self),
    describe(ATTReadBlobResponse.self),
    describe(ATTReadMultipleRequest.self),
    describe(ATTReadMultipleResponse.self),
    describe(ATTReadByGroupTypeRequest.self),
    describe(ATTReadByGroupTypeResponse.self),
    describe(ATTWriteRequest.self),
    describe(ATTWriteResponse.self),
    describe(ATTPrepareWriteRequest.self),
    describe(ATTPrepareWriteResponse.self),
    describe(ATTExecuteWriteRequest.self),
    describe(ATTExecuteWriteResponse.self),
    describe(ATTHandleValueNotification.self),
    describe(ATTHandleValueIndication.self),
    describe(ATTHandleValueConfirmation.self),
    describe(ATTReadMultipleVariableRequest.self),
    describe(ATTReadMultipleVariableResponse.self),
    describe(ATTMultipleHandleValueNotification.self),
    describe(ATTWriteCommand.self),
    describe(ATTSignedWriteCommand.self),
  ]

  private static func describe<Packet: ATTPacket>(_ type: Packet.Type) -> PacketDescription {
    PacketDescription(type, layer: .attribute, code: UInt32(Packet.opcode.rawValue))
  }
}
