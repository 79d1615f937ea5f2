/// All packets of the link layer, for the generic tests, fuzzers and dissectors.
public enum LinkLayerRegistry {
  /// Advertising channel PDUs have the advertising access address as their code, data channel PDUs none, and control PDUs
  /// their opcode.
  public static let all: [PacketDescription] =
    [
      PacketDescription(
        AdvertisingChannelPDU.self, layer: .linkLayer, code: AdvertisingChannelPDU.accessAddress),
      PacketDescription(DataChannelPDU.self, layer: .linkLayer, code: nil),
    ] + control

  private static let control: [PacketDescription] = [
    ConnectionUpdateIndication.description, ChannelMapIndication.description, TerminateIndication.description,
    EncryptionRequest.description, EncryptionResponse.description, StartEncryptionRequest.description,
    StartEncryptionResponse.description, UnknownResponse.description, FeatureRequest.description,
    FeatureResponse.description, PauseEncryptionRequest.description, PauseEncryptionResponse.description,
    VersionIndication.description, RejectIndication.description, PeripheralFeatureRequest.description,
    ConnectionParameterRequest.description, ConnectionParameterResponse.description,
    RejectExtendedIndication.description, PingRequest.description, PingResponse.description,
    LengthRequest.description, LengthResponse.description, PhyRequest.description, PhyResponse.description,
    PhyUpdateIndication.description, MinimumUsedChannelsIndication.description, ConstantToneRequest.description,
    ConstantToneResponse.description, PeriodicSyncIndication.description, ClockAccuracyRequest.description,
    ClockAccuracyResponse.description, ConnectedStreamRequest.description, ConnectedStreamResponse.description,
    ConnectedStreamIndication.description, ConnectedStreamTermination.description, PowerControlRequest.description,
    PowerControlResponse.description, PowerChangeIndication.description, SubrateRequest.description,
    SubrateIndication.description, ChannelReportingIndication.description, ChannelStatusIndication.description,
    FeatureExtendedRequest.description, FeatureExtendedResponse.description,
  ]
}
