/// Frames and signaling commands of L2CAP.
public enum L2CAPRegistry {
  public static let all: [PacketDescription] =
    [
      PacketDescription(L2CAPFrame.self, layer: .l2capFrame),
      PacketDescription(L2CAPFirstKFrame.self, layer: .l2capFrame),
      PacketDescription(L2CAPSignalingPDU.self, layer: .l2capFrame),
    ] + signaling.map { describe($0) }

  private static let signaling: [any L2CAPSignalingPacket.Type] = [
    L2CAPCommandReject.self, L2CAPDisconnectionRequest.self, L2CAPDisconnectionResponse.self,
    L2CAPConnectionParameterUpdateRequest.self, L2CAPConnectionParameterUpdateResponse.self,
    L2CAPLECreditBasedConnectionRequest.self, L2CAPLECreditBasedConnectionResponse.self, L2CAPFlowControlCredit.self,
    L2CAPCreditBasedConnectionRequest.self, L2CAPCreditBasedConnectionResponse.self,
    L2CAPCreditBasedReconfigureRequest.self, L2CAPCreditBasedReconfigureResponse.self,
  ]

  private static func describe<Packet: L2CAPSignalingPacket>(_ type: Packet.Type) -> PacketDescription {
    PacketDescription(type, layer: .l2capSignaling, code: UInt32(Packet.code.rawValue))
  }
}
