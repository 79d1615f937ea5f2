/// All commands of the Security Manager Protocol.
public enum SMPRegistry {
  public static let all: [PacketDescription] = types.map { describe($0) }

  private static let types: [any SMPPacket.Type] = [
    SMPPairingRequest.self, SMPPairingResponse.self, SMPPairingConfirm.self, SMPPairingRandom.self,
    SMPPairingFailed.self, SMPEncryptionInformation.self, SMPCentralIdentification.self, SMPIdentityInformation.self,
    SMPIdentityAddressInformation.self, SMPSigningInformation.self, SMPSecurityRequest.self, SMPPairingPublicKey.self,
    SMPPairingDHKeyCheck.self, SMPPairingKeypressNotification.self,
  ]

  private static func describe<Packet: SMPPacket>(_ type: Packet.Type) -> PacketDescription {
    PacketDescription(type, layer: .securityManager, code: UInt32(Packet.code.rawValue))
  }
}
