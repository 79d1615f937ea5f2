/// All packets of the link layer, for the generic tests, fuzzers and dissectors.
public enum LinkLayerRegistry {
  /// Advertising channel PDUs have the advertising access address as their code, data channel PDUs none, and control PDUs
  /// their opcode.
  public static let all: [PacketDescription] =
    [
      PacketDescription(AdvertisingChannelPDU.self, layer: .linkLayer, code: AdvertisingChannelPDU.accessAddress),
      PacketDescription(DataChannelPDU.self, layer: .linkLayer),
    ] + control.map { describe($0) }

  private static let control: [any LinkLayerControlPacket.Type] = [
    ConnectionUpdateIndication.self, ChannelMapIndication.self, TerminateIndication.self, EncryptionRequest.self,
    EncryptionResponse.self, StartEncryptionRequest.self, StartEncryptionResponse.self, UnknownResponse.self,
    FeatureRequest.self, FeatureResponse.self, PauseEncryptionRequest.self, PauseEncryptionResponse.self,
    VersionIndication.self, RejectIndication.self, PeripheralFeatureRequest.self, ConnectionParameterRequest.self,
    ConnectionParameterResponse.self, RejectExtendedIndication.self, PingRequest.self, PingResponse.self,
    LengthRequest.self, LengthResponse.self, PhyRequest.self, PhyResponse.self, PhyUpdateIndication.self,
    MinimumUsedChannelsIndication.self, ConstantToneRequest.self, ConstantToneResponse.self,
    PeriodicSyncIndication.self, ClockAccuracyRequest.self, ClockAccuracyResponse.self, ConnectedStreamRequest.self,
    ConnectedStreamResponse.self, ConnectedStreamIndication.self, ConnectedStreamTermination.self,
    PowerControlRequest.self, PowerControlResponse.self, PowerChangeIndication.self, SubrateRequest.self,
    SubrateIndication.self, ChannelReportingIndication.self, ChannelStatusIndication.self, FeatureExtendedRequest.self,
    FeatureExtendedResponse.self,
  ]

  private static func describe<Packet: LinkLayerControlPacket>(_ type: Packet.Type) -> PacketDescription {
    PacketDescription(type, layer: .linkLayerControl, code: UInt32(Packet.opcode))
  }
}
