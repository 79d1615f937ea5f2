/// Every packet of HCI that is declared, for generic tests, fuzzers and dissectors.
public enum HCIRegistry {
  /// Commands, return parameters, events and data.
  public static let all: [PacketDescription] = commands + returnParameters + events + [data]

  /// By opcode.
  public static let commands: [PacketDescription] = commandTypes.map { command($0) }

  /// What controllers answer, by opcode. Where the answer is only a status, all commands share ``HCIStatusReturn``.
  public static let returnParameters: [PacketDescription] =
    [PacketDescription(HCIStatusReturn.self, layer: .hciReturnParameters)] + commandTypes.compactMap { returned($0) }

  /// By event code; LE meta events by 0x3E00 and the subevent.
  public static let events: [PacketDescription] = eventTypes.map { event($0) }

  public static let data = PacketDescription(HCIACLPacket.self, layer: .hciData)

  static let commandNames: [HCIOpcode: String] = Dictionary(
    commandTypes.map { ($0.opcode, $0.name) }, uniquingKeysWith: { first, _ in first })

  static let eventNames: [HCIEventCode: String] = Dictionary(
    eventTypes.map { ($0.code, $0.name) }, uniquingKeysWith: { first, _ in first })

  /// Those that have a bit of their own, and the one that reads these bits.
  private static let commandTypes: [any HCICommand.Type] =
    (HCISupportedCommands.table.values.flatMap(\.values) + [HCIReadLocalSupportedCommands.self])
    .sorted { $0.opcode.rawValue < $1.opcode.rawValue }

  private static let eventTypes: [any HCIEventParameters.Type] = [
    DisconnectionCompleteEvent.self, EncryptionChangeEvent.self, ReadRemoteVersionInformationCompleteEvent.self,
    CommandCompleteEvent.self, CommandStatusEvent.self, HardwareErrorEvent.self, NumberOfCompletedPacketsEvent.self,
    DataBufferOverflowEvent.self, EncryptionKeyRefreshCompleteEvent.self, AuthenticatedPayloadTimeoutExpiredEvent.self,
    EncryptionChangeV2Event.self, LEConnectionCompleteEvent.self, LEAdvertisingReportEvent.self,
    LEConnectionUpdateCompleteEvent.self, LEReadRemoteFeaturesCompleteEvent.self, LELongTermKeyRequestEvent.self,
    LERemoteConnectionParameterRequestEvent.self, LEDataLengthChangeEvent.self,
    LEReadLocalP256PublicKeyCompleteEvent.self, LEGenerateDHKeyCompleteEvent.self,
    LEEnhancedConnectionCompleteEvent.self, LEDirectedAdvertisingReportEvent.self, LEPHYUpdateCompleteEvent.self,
    LEExtendedAdvertisingReportEvent.self, LEScanTimeoutEvent.self, LEAdvertisingSetTerminatedEvent.self,
    LEScanRequestReceivedEvent.self, LEChannelSelectionAlgorithmEvent.self, LETransmitPowerReportingEvent.self,
    LEEnhancedConnectionCompleteV2Event.self,
  ]

  private static func command<Command: HCICommand>(_ type: Command.Type) -> PacketDescription {
    PacketDescription(type, layer: .hciCommand, code: UInt32(Command.opcode.rawValue))
  }

  private static func returned<Command: HCICommand>(_ type: Command.Type) -> PacketDescription? {
    if Command.ReturnParameters.self == HCIStatusReturn.self { return nil }
    return PacketDescription(
      Command.ReturnParameters.self, layer: .hciReturnParameters, name: Command.name + " return parameters",
      code: UInt32(Command.opcode.rawValue))
  }

  private static func event<Event: HCIEventParameters>(_ type: Event.Type) -> PacketDescription {
    PacketDescription(type, layer: .hciEvent, code: UInt32(Event.code.rawValue))
  }
}
