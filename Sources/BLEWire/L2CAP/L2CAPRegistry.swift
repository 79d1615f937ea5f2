/// Frames and signaling commands of L2CAP.
public enum L2CAPRegistry {
  public static let all: [PacketDescription] = [
    PacketDescription(L2CAPFrame.self, layer: .l2capFrame, code: nil),
    PacketDescription(L2CAPFirstKFrame.self, layer: .l2capFrame, code: nil),
    PacketDescription(L2CAPSignalingPDU.self, layer: .l2capFrame, code: nil),
    describe(L2CAPCommandReject.self),
    describe(L2CAPDisconnectionRequest.self),
    describe(L2CAPDisconnectionResponse.self),
    describe(L2CAPConnectionParameterUpdateRequest.self),
    describe(L2CAPConnectionParameterUpdateResponse.self),
    describe(L2CAPLECreditBasedConnectionRequest.self),
    describe(L2CAPLECreditBasedConnectionResponse.self),
    describe(L2CAPFlowControlCredit.self),
    describe(L2CAPCreditBasedConnectionRequest.self),
    describe(L2CAPCreditBasedConnectionResponse.self),
    describe(L2CAPCreditBasedReconfigureRequest.self),
    describe(L2CAPCreditBasedReconfigureResponse.self),
  ]

  private static func describe<Packet: L2CAPSignalingPacket>(_ type: Packet.Type) -> PacketDescription {
    PacketDescription(type, layer: .l2capSignaling, code: UInt32(Packet.code.rawValue))
  }
}
