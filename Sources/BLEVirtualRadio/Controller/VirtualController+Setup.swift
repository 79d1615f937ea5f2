import BLECore
import BLEWire

/// Start-up, information, masks and flow control.
extension VirtualController {
  static let dataLengthCommands: Set<HCIOpcode> = [
    LESetDataLength.opcode, LEReadSuggestedDefaultDataLength.opcode, LEWriteSuggestedDefaultDataLength.opcode,
    LEReadMaximumDataLength.opcode,
  ]
  static let phyCommands: Set<HCIOpcode> = [LEReadPHY.opcode, LESetDefaultPHY.opcode, LESetPHY.opcode]

  static func features(_ configuration: ControllerConfiguration) -> LEFeatures {
    var features: LEFeatures = [
      .encryption, .connectionParametersRequest, .extendedReject, .peripheralFeaturesExchange, .ping,
      .extendedScannerFilterPolicies, .channelSelectionAlgorithm2, .remotePublicKeyValidation,
    ]
    if configuration.supportsDataLengthExtension { features.insert(.dataPacketLengthExtension) }
    if configuration.supportsFurtherPHYs { features.formUnion([.phy2M, .codedPHY]) }
    if configuration.supportsExtendedAdvertising { features.insert(.extendedAdvertising) }
    if configuration.supportsResolvingList { features.insert(.privacy) }
    return features
  }

  /// The company identifier reserved for tests.
  static let company: UInt16 = 0xFFFF

  var versionIndication: VersionIndication {
    VersionIndication(version: HCIVersion.v5_4.rawValue, company: Self.company, subversion: 1)
  }

  var publicAddress: DeviceAddress { address.kind == .public ? address : DeviceAddress(0, kind: .public) }

  static func addSetupCommands(to table: inout CommandTable) {
    table.action(HCIReset.self) { controller, _ in controller.resetState() }
    table.action(HCISetEventMask.self) { $0.host.eventMask = $1.mask }
    table.action(HCISetEventMaskPage2.self) { $0.host.eventMaskPage2 = $1.mask }
    table.action(LESetEventMask.self) { $0.host.lowEnergyMask = $1.mask }
    table.action(HCIWriteLEHostSupport.self) { _, _ in }
    table.action(LESetHostFeature.self) { controller, command in
      // Only the bits of the host can be set (Core, Vol 4 Part E 7.8.115).
      guard command.bit == 32 || command.bit == 38 else { throw HCIErrorCode.unsupportedFeatureOrParameter }
      guard controller.connections.isEmpty else { throw HCIErrorCode.commandDisallowed }
    }
    table.action(LESetRandomAddress.self) { controller, command in
      let advertises = controller.advertisingSets.values.contains { $0.isLegacyCommand && $0.advertiser != nil }
      guard !advertises, controller.scanner == nil, controller.initiator == nil else {
        throw HCIErrorCode.commandDisallowed
      }
      controller.host.randomAddress = DeviceAddress(command.address.value, kind: .random)
    }
    table.action(LESetHostChannelClassification.self) { controller, command in
      guard command.channels.rawValue.nonzeroBitCount >= 2, command.channels.isSubset(of: .all) else {
        throw HCIErrorCode.invalidParameters
      }
      controller.host.channels = command.channels
      for connection in controller.connections.values.sorted(by: { $0.handle < $1.handle })
      where connection.isCentral && connection.channelMap != command.channels.rawValue {
        connection.start(.channelMapUpdate(command.channels.rawValue))
      }
    }
    addFlowControlCommands(to: &table)
  }

  private static func addFlowControlCommands(to table: inout CommandTable) {
    table.action(HCISetControllerToHostFlowControl.self) { controller, command in
      guard command.mode.rawValue <= 3 else { throw HCIErrorCode.invalidParameters }
      guard controller.connections.isEmpty else { throw HCIErrorCode.commandDisallowed }
      controller.host.isFlowControlled = command.mode == .acl || command.mode == .both
    }
    table.action(HCIHostBufferSize.self) { controller, command in
      guard command.aclDataPacketLength > 0, command.aclDataPacketCount > 0 else {
        throw HCIErrorCode.invalidParameters
      }
      controller.host.freeBuffers = Int(command.aclDataPacketCount)
    }
    table.silent(HCIHostNumberOfCompletedPackets.self) { controller, command in
      for entry in command.counts {
        guard let connection = controller.connections[entry.connectionHandle.rawValue] else { continue }
        let count = min(Int(entry.count), connection.heldByHost)
        connection.heldByHost -= count
        controller.host.freeBuffers += count
      }
    }
  }

  static func addInformationCommands(to table: inout CommandTable) {
    table.values(HCIReadLocalVersionInformation.self) { _, _ in
      .init(
        version: .v5_4, revision: 1, linkLayerVersion: .v5_4, companyIdentifier: company, linkLayerSubversion: 1)
    }
    table.values(HCIReadLocalSupportedCommands.self) { controller, _ in
      .init(commands: HCISupportedCommands(controller.supportedCommands))
    }
    table.values(HCIReadLocalSupportedFeatures.self) { _, _ in .init(features: [.brEDRNotSupported, .leSupported]) }
    table.values(HCIReadBDADDR.self) { controller, _ in .init(address: controller.publicAddress) }
    table.values(HCIReadBufferSize.self) { controller, _ in
      .init(
        aclDataPacketLength: controller.configuration.aclPacketLength, synchronousDataPacketLength: 0,
        aclDataPacketCount: UInt16(controller.configuration.aclPacketCount), synchronousDataPacketCount: 0)
    }
    table.values(LEReadBufferSize.self) { controller, _ in
      .init(
        aclDataPacketLength: controller.configuration.aclPacketLength,
        aclDataPacketCount: controller.configuration.aclPacketCount)
    }
    table.values(LEReadBufferSizeV2.self) { controller, _ in
      .init(
        aclDataPacketLength: controller.configuration.aclPacketLength,
        aclDataPacketCount: controller.configuration.aclPacketCount, isoDataPacketLength: 0, isoDataPacketCount: 0)
    }
    table.values(LEReadLocalSupportedFeatures.self) { controller, _ in .init(features: controller.features) }
    table.values(LEReadSupportedStates.self) { _, _ in .init(states: LESupportedStates(rawValue: 0x0000_03FF_FFFF_FFFF))
    }
    table.values(LEReadTransmitPower.self) { _, _ in .init(minimum: -40, maximum: 20) }
    table.values(LEReadRFPathCompensation.self) { controller, _ in
      .init(transmit: controller.host.transmitCompensation, receive: controller.host.receiveCompensation)
    }
    table.action(LEWriteRFPathCompensation.self) { controller, command in
      controller.host.transmitCompensation = command.transmit
      controller.host.receiveCompensation = command.receive
    }
    table.values(LEReadMaximumDataLength.self) { _, _ in
      .init(transmitOctets: 251, transmitTime: 2_120, receiveOctets: 251, receiveTime: 2_120)
    }
    table.values(LEReadSuggestedDefaultDataLength.self) { controller, _ in
      .init(
        transmitOctets: controller.host.suggestedDataLength.octets,
        transmitTime: controller.host.suggestedDataLength.time)
    }
    table.action(LEWriteSuggestedDefaultDataLength.self) { controller, command in
      guard (27...251).contains(command.transmitOctets), (328...17_040).contains(command.transmitTime) else {
        throw HCIErrorCode.invalidParameters
      }
      controller.host.suggestedDataLength = DataLengthLimit(
        octets: command.transmitOctets, time: command.transmitTime)
    }
    table.action(LESetDefaultPHY.self) { controller, command in
      let known: LEPHYSet = [.le1M, .le2M, .leCoded]
      let anyTransmit = command.preference.contains(.noTransmitPreference)
      let anyReceive = command.preference.contains(.noReceivePreference)
      guard anyTransmit || !command.transmitPHYs.isEmpty && command.transmitPHYs.isSubset(of: known),
        anyReceive || !command.receivePHYs.isEmpty && command.receivePHYs.isSubset(of: known)
      else { throw HCIErrorCode.unsupportedFeatureOrParameter }
      controller.host.defaultTransmitPHYs = anyTransmit ? nil : command.transmitPHYs
      controller.host.defaultReceivePHYs = anyReceive ? nil : command.receivePHYs
    }
  }

  var defaultDataLength: DataLengthLimit {
    configuration.supportsDataLengthExtension ? host.suggestedDataLength : .smallest
  }

  var defaultPHYs: (transmit: LEPHYSet, receive: LEPHYSet) {
    let all: LEPHYSet = configuration.supportsFurtherPHYs ? [.le1M, .le2M, .leCoded] : .le1M
    return (host.defaultTransmitPHYs ?? all, host.defaultReceivePHYs ?? all)
  }

  var hostChannels: LEChannelMap { host.channels }
}
