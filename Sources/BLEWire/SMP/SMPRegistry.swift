/// All commands of the Security Manager Protocol.
public enum SMPRegistry {
  public static let all: [PacketDescription] = [
    describe(SMPPairingRequest.self),
    describe(SMPPairingResponse.self),
    describe(SMPPairingConfirm.self),
    describe(SMPPairingRandom.self),
    describe(SMPPairingFailed.self),
    describe(SMPEncryptionInformation.self),
    describe(SMPCentralIdentification.self),
    describe(SMPIdentityInformation.self),
    describe(SMPIdentityAddressInformation.self),
    describe(SMPSigningInformation.self),
    describe(SMPSecurityRequest.self),
    describe(SMPPairingPublicKey.self),
    describe(SMPPairingDHKeyCheck.self),
    describe(SMPPairingKeypressNotification.self),
  ]

  private static func describe<Packet: SMPPacket>(_ type: Packet.Type) -> PacketDescription {
    PacketDescription(type, layer: .securityManager, code: UInt32(Packet.code.rawValue))
  }
}
