/// Every packet of HCI that is declared, for generic tests, fuzzers and dissectors.
public enum HCIRegistry {
  /// Commands, return parameters, events and data.
  public static let all: [PacketDescription] = commands + returnParameters + events + [data]

  /// By opcode.
  public static let commands: [PacketDescription] = [
    command(HCIDisconnect.self),
    command(HCIReadRemoteVersionInformation.self),
    command(HCISetEventMask.self),
    command(HCIReset.self),
    command(HCIReadTransmitPowerLevel.self),
    command(HCISetControllerToHostFlowControl.self),
    command(HCIHostBufferSize.self),
    command(HCIHostNumberOfCompletedPackets.self),
    command(HCISetEventMaskPage2.self),
    command(HCIWriteLEHostSupport.self),
    command(HCIReadAuthenticatedPayloadTimeout.self),
    command(HCIWriteAuthenticatedPayloadTimeout.self),
    command(HCIReadLocalVersionInformation.self),
    command(HCIReadLocalSupportedCommands.self),
    command(HCIReadLocalSupportedFeatures.self),
    command(HCIReadBufferSize.self),
    command(HCIReadBDADDR.self),
    command(HCIReadRSSI.self),
    command(LESetEventMask.self),
    command(LEReadBufferSize.self),
    command(LEReadLocalSupportedFeatures.self),
    command(LESetRandomAddress.self),
    command(LESetAdvertisingParameters.self),
    command(LEReadAdvertisingPhysicalChannelTransmitPower.self),
    command(LESetAdvertisingData.self),
    command(LESetScanResponseData.self),
    command(LESetAdvertisingEnable.self),
    command(LESetScanParameters.self),
    command(LESetScanEnable.self),
    command(LECreateConnection.self),
    command(LECreateConnectionCancel.self),
    command(LEReadFilterAcceptListSize.self),
    command(LEClearFilterAcceptList.self),
    command(LEAddDeviceToFilterAcceptList.self),
    command(LERemoveDeviceFromFilterAcceptList.self),
    command(LEConnectionUpdate.self),
    command(LESetHostChannelClassification.self),
    command(LEReadChannelMap.self),
    command(LEReadRemoteFeatures.self),
    command(LEEncrypt.self),
    command(LERand.self),
    command(LEEnableEncryption.self),
    command(LELongTermKeyRequestReply.self),
    command(LELongTermKeyRequestNegativeReply.self),
    command(LEReadSupportedStates.self),
    command(LERemoteConnectionParameterRequestReply.self),
    command(LERemoteConnectionParameterRequestNegativeReply.self),
    command(LESetDataLength.self),
    command(LEReadSuggestedDefaultDataLength.self),
    command(LEWriteSuggestedDefaultDataLength.self),
    command(LEReadLocalP256PublicKey.self),
    command(LEGenerateDHKey.self),
    command(LEAddDeviceToResolvingList.self),
    command(LERemoveDeviceFromResolvingList.self),
    command(LEClearResolvingList.self),
    command(LEReadResolvingListSize.self),
    command(LEReadPeerResolvableAddress.self),
    command(LEReadLocalResolvableAddress.self),
    command(LESetAddressResolutionEnable.self),
    command(LESetResolvablePrivateAddressTimeout.self),
    command(LEReadMaximumDataLength.self),
    command(LEReadPHY.self),
    command(LESetDefaultPHY.self),
    command(LESetPHY.self),
    command(LESetAdvertisingSetRandomAddress.self),
    command(LESetExtendedAdvertisingParameters.self),
    command(LESetExtendedAdvertisingData.self),
    command(LESetExtendedScanResponseData.self),
    command(LESetExtendedAdvertisingEnable.self),
    command(LEReadMaximumAdvertisingDataLength.self),
    command(LEReadNumberOfSupportedAdvertisingSets.self),
    command(LERemoveAdvertisingSet.self),
    command(LEClearAdvertisingSets.self),
    command(LESetExtendedScanParameters.self),
    command(LESetExtendedScanEnable.self),
    command(LEExtendedCreateConnection.self),
    command(LEReadTransmitPower.self),
    command(LEReadRFPathCompensation.self),
    command(LEWriteRFPathCompensation.self),
    command(LESetPrivacyMode.self),
    command(LEGenerateDHKeyV2.self),
    command(LEReadBufferSizeV2.self),
    command(LESetHostFeature.self),
    command(LEEnhancedReadTransmitPowerLevel.self),
  ]

  /// What controllers answer, by opcode. Where the answer is only a status, all commands share ``HCIStatusReturn``.
  public static let returnParameters: [PacketDescription] = [
    PacketDescription(HCIStatusReturn.self, layer: .hciReturnParameters, code: nil),
    returned(HCIReadTransmitPowerLevel.self),
    returned(HCIReadAuthenticatedPayloadTimeout.self),
    returned(HCIWriteAuthenticatedPayloadTimeout.self),
    returned(HCIReadLocalVersionInformation.self),
    returned(HCIReadLocalSupportedCommands.self),
    returned(HCIReadLocalSupportedFeatures.self),
    returned(HCIReadBufferSize.self),
    returned(HCIReadBDADDR.self),
    returned(HCIReadRSSI.self),
    returned(LEReadBufferSize.self),
    returned(LEReadLocalSupportedFeatures.self),
    returned(LEReadAdvertisingPhysicalChannelTransmitPower.self),
    returned(LEReadFilterAcceptListSize.self),
    returned(LEReadChannelMap.self),
    returned(LEEncrypt.self),
    returned(LERand.self),
    returned(LELongTermKeyRequestReply.self),
    returned(LELongTermKeyRequestNegativeReply.self),
    returned(LEReadSupportedStates.self),
    returned(LERemoteConnectionParameterRequestReply.self),
    returned(LERemoteConnectionParameterRequestNegativeReply.self),
    returned(LESetDataLength.self),
    returned(LEReadSuggestedDefaultDataLength.self),
    returned(LEReadResolvingListSize.self),
    returned(LEReadPeerResolvableAddress.self),
    returned(LEReadLocalResolvableAddress.self),
    returned(LEReadMaximumDataLength.self),
    returned(LEReadPHY.self),
    returned(LESetExtendedAdvertisingParameters.self),
    returned(LEReadMaximumAdvertisingDataLength.self),
    returned(LEReadNumberOfSupportedAdvertisingSets.self),
    returned(LEReadTransmitPower.self),
    returned(LEReadRFPathCompensation.self),
    returned(LEReadBufferSizeV2.self),
    returned(LEEnhancedReadTransmitPowerLevel.self),
  ]

  /// By event code; LE meta events by 0x3E00 and the subevent.
  public static let events: [PacketDescription] = [
    event(DisconnectionCompleteEvent.self),
    event(EncryptionChangeEvent.self),
    event(ReadRemoteVersionInformationCompleteEvent.self),
    event(CommandCompleteEvent.self),
    event(CommandStatusEvent.self),
    event(HardwareErrorEvent.self),
    event(NumberOfCompletedPacketsEvent.self),
    event(DataBufferOverflowEvent.self),
    event(EncryptionKeyRefreshCompleteEvent.self),
    event(AuthenticatedPayloadTimeoutExpiredEvent.self),
    event(EncryptionChangeV2Event.self),
    event(LEConnectionCompleteEvent.self),
    event(LEAdvertisingReportEvent.self),
    event(LEConnectionUpdateCompleteEvent.self),
    event(LEReadRemoteFeaturesCompleteEvent.self),
    event(LELongTermKeyRequestEvent.self),
    event(LERemoteConnectionParameterRequestEvent.self),
    event(LEDataLengthChangeEvent.self),
    event(LEReadLocalP256PublicKeyCompleteEvent.self),
    event(LEGenerateDHKeyCompleteEvent.self),
    event(LEEnhancedConnectionCompleteEvent.self),
    event(LEDirectedAdvertisingReportEvent.self),
    event(LEPHYUpdateCompleteEvent.self),
    event(LEExtendedAdvertisingReportEvent.self),
    event(LEScanTimeoutEvent.self),
    event(LEAdvertisingSetTerminatedEvent.self),
    event(LEScanRequestReceivedEvent.self),
    event(LEChannelSelectionAlgorithmEvent.self),
    event(LETransmitPowerReportingEvent.self),
    event(LEEnhancedConnectionCompleteV2Event.self),
  ]

  public static let data = PacketDescription(HCIACLPacket.self, layer: .hciData, code: nil)

  static let commandNames: [HCIOpcode: String] = Dictionary(
    commands.map { (HCIOpcode(UInt16(truncatingIfNeeded: $0.code ?? 0)), $0.name) },
    uniquingKeysWith: { first, _ in first })

  static let eventNames: [HCIEventCode: String] = Dictionary(
    events.map { (HCIEventCode(rawValue: UInt16(truncatingIfNeeded: $0.code ?? 0)), $0.name) },
    uniquingKeysWith: { first, _ in first })

  private static func command<Command: HCICommand>(_ type: Command.Type) -> PacketDescription {
    PacketDescription(type, layer: .hciCommand, code: UInt32(Command.opcode.rawValue))
  }

  private static func returned<Command: HCICommand>(_ type: Command.Type) -> PacketDescription {
    PacketDescription(
      Command.ReturnParameters.self, layer: .hciReturnParameters, name: Command.name + " return parameters",
      code: UInt32(Command.opcode.rawValue))
  }

  private static func event<Event: HCIEventParameters>(_ type: Event.Type) -> PacketDescription {
    PacketDescription(type, layer: .hciEvent, code: UInt32(Event.code.rawValue))
  }
}
