import BLECore

/// An event, decoded. One that is not declared here is a value too.
public enum HCIEvent: Equatable, Sendable {
  case disconnectionComplete(DisconnectionCompleteEvent)
  case encryptionChange(EncryptionChangeEvent)
  case readRemoteVersionInformationComplete(ReadRemoteVersionInformationCompleteEvent)
  case commandComplete(CommandCompleteEvent)
  case commandStatus(CommandStatusEvent)
  case hardwareError(HardwareErrorEvent)
  case numberOfCompletedPackets(NumberOfCompletedPacketsEvent)
  case dataBufferOverflow(DataBufferOverflowEvent)
  case encryptionKeyRefreshComplete(EncryptionKeyRefreshCompleteEvent)
  case authenticatedPayloadTimeoutExpired(AuthenticatedPayloadTimeoutExpiredEvent)
  case encryptionChangeV2(EncryptionChangeV2Event)
  case leConnectionComplete(LEConnectionCompleteEvent)
  case leAdvertisingReport(LEAdvertisingReportEvent)
  case leConnectionUpdateComplete(LEConnectionUpdateCompleteEvent)
  case leReadRemoteFeaturesComplete(LEReadRemoteFeaturesCompleteEvent)
  case leLongTermKeyRequest(LELongTermKeyRequestEvent)
  case leRemoteConnectionParameterRequest(LERemoteConnectionParameterRequestEvent)
  case leDataLengthChange(LEDataLengthChangeEvent)
  case leReadLocalP256PublicKeyComplete(LEReadLocalP256PublicKeyCompleteEvent)
  case leGenerateDHKeyComplete(LEGenerateDHKeyCompleteEvent)
  case leEnhancedConnectionComplete(LEEnhancedConnectionCompleteEvent)
  case leDirectedAdvertisingReport(LEDirectedAdvertisingReportEvent)
  case lePHYUpdateComplete(LEPHYUpdateCompleteEvent)
  case leExtendedAdvertisingReport(LEExtendedAdvertisingReportEvent)
  case leScanTimeout(LEScanTimeoutEvent)
  case leAdvertisingSetTerminated(LEAdvertisingSetTerminatedEvent)
  case leScanRequestReceived(LEScanRequestReceivedEvent)
  case leChannelSelectionAlgorithm(LEChannelSelectionAlgorithmEvent)
  case leTransmitPowerReporting(LETransmitPowerReportingEvent)
  case leEnhancedConnectionCompleteV2(LEEnhancedConnectionCompleteV2Event)
  case unknown(HCIEventPacket)

  /// Decodes the parameters of `packet` to their end.
  public init(_ packet: HCIEventPacket) throws(DecodeError) {
    switch packet.code {
    case DisconnectionCompleteEvent.code:
      self = .disconnectionComplete(try packet.decode(DisconnectionCompleteEvent.self))
    case EncryptionChangeEvent.code: self = .encryptionChange(try packet.decode(EncryptionChangeEvent.self))
    case ReadRemoteVersionInformationCompleteEvent.code:
      self = .readRemoteVersionInformationComplete(try packet.decode(ReadRemoteVersionInformationCompleteEvent.self))
    case CommandCompleteEvent.code: self = .commandComplete(try packet.decode(CommandCompleteEvent.self))
    case CommandStatusEvent.code: self = .commandStatus(try packet.decode(CommandStatusEvent.self))
    case HardwareErrorEvent.code: self = .hardwareError(try packet.decode(HardwareErrorEvent.self))
    case NumberOfCompletedPacketsEvent.code:
      self = .numberOfCompletedPackets(try packet.decode(NumberOfCompletedPacketsEvent.self))
    case DataBufferOverflowEvent.code: self = .dataBufferOverflow(try packet.decode(DataBufferOverflowEvent.self))
    case EncryptionKeyRefreshCompleteEvent.code:
      self = .encryptionKeyRefreshComplete(try packet.decode(EncryptionKeyRefreshCompleteEvent.self))
    case AuthenticatedPayloadTimeoutExpiredEvent.code:
      self = .authenticatedPayloadTimeoutExpired(try packet.decode(AuthenticatedPayloadTimeoutExpiredEvent.self))
    case EncryptionChangeV2Event.code: self = .encryptionChangeV2(try packet.decode(EncryptionChangeV2Event.self))
    case LEConnectionCompleteEvent.code: self = .leConnectionComplete(try packet.decode(LEConnectionCompleteEvent.self))
    case LEAdvertisingReportEvent.code: self = .leAdvertisingReport(try packet.decode(LEAdvertisingReportEvent.self))
    case LEConnectionUpdateCompleteEvent.code:
      self = .leConnectionUpdateComplete(try packet.decode(LEConnectionUpdateCompleteEvent.self))
    case LEReadRemoteFeaturesCompleteEvent.code:
      self = .leReadRemoteFeaturesComplete(try packet.decode(LEReadRemoteFeaturesCompleteEvent.self))
    case LELongTermKeyRequestEvent.code: self = .leLongTermKeyRequest(try packet.decode(LELongTermKeyRequestEvent.self))
    case LERemoteConnectionParameterRequestEvent.code:
      self = .leRemoteConnectionParameterRequest(try packet.decode(LERemoteConnectionParameterRequestEvent.self))
    case LEDataLengthChangeEvent.code: self = .leDataLengthChange(try packet.decode(LEDataLengthChangeEvent.self))
    case LEReadLocalP256PublicKeyCompleteEvent.code:
      self = .leReadLocalP256PublicKeyComplete(try packet.decode(LEReadLocalP256PublicKeyCompleteEvent.self))
    case LEGenerateDHKeyCompleteEvent.code:
      self = .leGenerateDHKeyComplete(try packet.decode(LEGenerateDHKeyCompleteEvent.self))
    case LEEnhancedConnectionCompleteEvent.code:
      self = .leEnhancedConnectionComplete(try packet.decode(LEEnhancedConnectionCompleteEvent.self))
    case LEDirectedAdvertisingReportEvent.code:
      self = .leDirectedAdvertisingReport(try packet.decode(LEDirectedAdvertisingReportEvent.self))
    case LEPHYUpdateCompleteEvent.code: self = .lePHYUpdateComplete(try packet.decode(LEPHYUpdateCompleteEvent.self))
    case LEExtendedAdvertisingReportEvent.code:
      self = .leExtendedAdvertisingReport(try packet.decode(LEExtendedAdvertisingReportEvent.self))
    case LEScanTimeoutEvent.code: self = .leScanTimeout(try packet.decode(LEScanTimeoutEvent.self))
    case LEAdvertisingSetTerminatedEvent.code:
      self = .leAdvertisingSetTerminated(try packet.decode(LEAdvertisingSetTerminatedEvent.self))
    case LEScanRequestReceivedEvent.code:
      self = .leScanRequestReceived(try packet.decode(LEScanRequestReceivedEvent.self))
    case LEChannelSelectionAlgorithmEvent.code:
      self = .leChannelSelectionAlgorithm(try packet.decode(LEChannelSelectionAlgorithmEvent.self))
    case LETransmitPowerReportingEvent.code:
      self = .leTransmitPowerReporting(try packet.decode(LETransmitPowerReportingEvent.self))
    case LEEnhancedConnectionCompleteV2Event.code:
      self = .leEnhancedConnectionCompleteV2(try packet.decode(LEEnhancedConnectionCompleteV2Event.self))
    default: self = .unknown(packet)
    }
  }
}
