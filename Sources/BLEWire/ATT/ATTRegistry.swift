/// All PDUs of the Attribute Protocol.
public enum ATTRegistry {
  public static let all: [PacketDescription] = types.map { describe($0) }

  private static let types: [any ATTPacket.Type] = [
    ATTErrorResponse.self, ATTExchangeMTURequest.self, ATTExchangeMTUResponse.self, ATTFindInformationRequest.self,
    ATTFindInformationResponse.self, ATTFindByTypeValueRequest.self, ATTFindByTypeValueResponse.self,
    ATTReadByTypeRequest.self, ATTReadByTypeResponse.self, ATTReadRequest.self, ATTReadResponse.self,
    ATTReadBlobRequest.self, ATTReadBlobResponse.self, ATTReadMultipleRequest.self, ATTReadMultipleResponse.self,
    ATTReadByGroupTypeRequest.self, ATTReadByGroupTypeResponse.self, ATTWriteRequest.self, ATTWriteResponse.self,
    ATTPrepareWriteRequest.self, ATTPrepareWriteResponse.self, ATTExecuteWriteRequest.self,
    ATTExecuteWriteResponse.self, ATTHandleValueNotification.self, ATTHandleValueIndication.self,
    ATTHandleValueConfirmation.self, ATTReadMultipleVariableRequest.self, ATTReadMultipleVariableResponse.self,
    ATTMultipleHandleValueNotification.self, ATTWriteCommand.self, ATTSignedWriteCommand.self,
  ]

  private static func describe<Packet: ATTPacket>(_ type: Packet.Type) -> PacketDescription {
    PacketDescription(type, layer: .attribute, code: UInt32(Packet.opcode.rawValue))
  }
}
