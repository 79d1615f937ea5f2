import BLECore

/// Which commands a controller knows: 64 octets with a bit for each (Core, Vol 4 Part E 6.27).
public struct HCISupportedCommands: Hashable, Sendable {
  public static let width = 64
  /// Always 64 of them.
  public let octets: [UInt8]

  /// Cut or filled up with zeros to 64 octets.
  public init(octets: some Collection<UInt8>) {
    self.octets = octets.prefix(Self.width) + Array(repeating: 0, count: max(0, Self.width - octets.count))
  }

  /// The bits of `opcodes`; those that have none, or are not declared here, are left out.
  public init(_ opcodes: some Sequence<HCIOpcode>) {
    var octets = [UInt8](repeating: 0, count: Self.width)
    for opcode in opcodes {
      guard let bit = Self.bits[opcode] else { continue }
      octets[bit / 8] |= 1 << UInt8(bit % 8)
    }
    self.octets = octets
  }

  /// False too for a command that has no bit or is not declared here.
  public func contains(_ opcode: HCIOpcode) -> Bool {
    guard let bit = Self.bits[opcode] else { return false }
    return octets[bit / 8] & 1 << UInt8(bit % 8) != 0
  }

  public func contains<Command: HCICommand>(_ command: Command.Type) -> Bool { contains(Command.opcode) }

  /// Every command that is declared here and known to the controller.
  public var opcodes: [HCIOpcode] {
    Self.bits.keys.filter { contains($0) }.sorted { $0.rawValue < $1.rawValue }
  }

  private static func at(_ octet: Int, _ bit: Int) -> Int { octet * 8 + bit }

  private static let bits: [HCIOpcode: Int] = [
    HCIDisconnect.opcode: at(0, 5),
    HCIReadRemoteVersionInformation.opcode: at(2, 7),
    HCISetEventMask.opcode: at(5, 6),
    HCIReset.opcode: at(5, 7),
    HCIReadTransmitPowerLevel.opcode: at(10, 2),
    HCISetControllerToHostFlowControl.opcode: at(10, 5),
    HCIHostBufferSize.opcode: at(10, 6),
    HCIHostNumberOfCompletedPackets.opcode: at(10, 7),
    HCIReadLocalVersionInformation.opcode: at(14, 3),
    HCIReadLocalSupportedFeatures.opcode: at(14, 5),
    HCIReadBufferSize.opcode: at(14, 7),
    HCIReadBDADDR.opcode: at(15, 1),
    HCIReadRSSI.opcode: at(15, 5),
    HCISetEventMaskPage2.opcode: at(22, 2),
    HCIWriteLEHostSupport.opcode: at(24, 6),
    LESetEventMask.opcode: at(25, 0),
    LEReadBufferSize.opcode: at(25, 1),
    LEReadLocalSupportedFeatures.opcode: at(25, 2),
    LESetRandomAddress.opcode: at(25, 4),
    LESetAdvertisingParameters.opcode: at(25, 5),
    LEReadAdvertisingPhysicalChannelTransmitPower.opcode: at(25, 6),
    LESetAdvertisingData.opcode: at(25, 7),
    LESetScanResponseData.opcode: at(26, 0),
    LESetAdvertisingEnable.opcode: at(26, 1),
    LESetScanParameters.opcode: at(26, 2),
    LESetScanEnable.opcode: at(26, 3),
    LECreateConnection.opcode: at(26, 4),
    LECreateConnectionCancel.opcode: at(26, 5),
    LEReadFilterAcceptListSize.opcode: at(26, 6),
    LEClearFilterAcceptList.opcode: at(26, 7),
    LEAddDeviceToFilterAcceptList.opcode: at(27, 0),
    LERemoveDeviceFromFilterAcceptList.opcode: at(27, 1),
    LEConnectionUpdate.opcode: at(27, 2),
    LESetHostChannelClassification.opcode: at(27, 3),
    LEReadChannelMap.opcode: at(27, 4),
    LEReadRemoteFeatures.opcode: at(27, 5),
    LEEncrypt.opcode: at(27, 6),
    LERand.opcode: at(27, 7),
    LEEnableEncryption.opcode: at(28, 0),
    LELongTermKeyRequestReply.opcode: at(28, 1),
    LELongTermKeyRequestNegativeReply.opcode: at(28, 2),
    LEReadSupportedStates.opcode: at(28, 3),
    HCIReadAuthenticatedPayloadTimeout.opcode: at(32, 4),
    HCIWriteAuthenticatedPayloadTimeout.opcode: at(32, 5),
    LERemoteConnectionParameterRequestReply.opcode: at(33, 4),
    LERemoteConnectionParameterRequestNegativeReply.opcode: at(33, 5),
    LESetDataLength.opcode: at(33, 6),
    LEReadSuggestedDefaultDataLength.opcode: at(33, 7),
    LEWriteSuggestedDefaultDataLength.opcode: at(34, 0),
    LEReadLocalP256PublicKey.opcode: at(34, 1),
    LEGenerateDHKey.opcode: at(34, 2),
    LEAddDeviceToResolvingList.opcode: at(34, 3),
    LERemoveDeviceFromResolvingList.opcode: at(34, 4),
    LEClearResolvingList.opcode: at(34, 5),
    LEReadResolvingListSize.opcode: at(34, 6),
    LEReadPeerResolvableAddress.opcode: at(34, 7),
    LEReadLocalResolvableAddress.opcode: at(35, 0),
    LESetAddressResolutionEnable.opcode: at(35, 1),
    LESetResolvablePrivateAddressTimeout.opcode: at(35, 2),
    LEReadMaximumDataLength.opcode: at(35, 3),
    LEReadPHY.opcode: at(35, 4),
    LESetDefaultPHY.opcode: at(35, 5),
    LESetPHY.opcode: at(35, 6),
    LESetAdvertisingSetRandomAddress.opcode: at(36, 1),
    LESetExtendedAdvertisingParameters.opcode: at(36, 2),
    LESetExtendedAdvertisingData.opcode: at(36, 3),
    LESetExtendedScanResponseData.opcode: at(36, 4),
    LESetExtendedAdvertisingEnable.opcode: at(36, 5),
    LEReadMaximumAdvertisingDataLength.opcode: at(36, 6),
    LEReadNumberOfSupportedAdvertisingSets.opcode: at(36, 7),
    LERemoveAdvertisingSet.opcode: at(37, 0),
    LEClearAdvertisingSets.opcode: at(37, 1),
    LESetExtendedScanParameters.opcode: at(37, 5),
    LESetExtendedScanEnable.opcode: at(37, 6),
    LEExtendedCreateConnection.opcode: at(37, 7),
    LEReadTransmitPower.opcode: at(38, 7),
    LEReadRFPathCompensation.opcode: at(39, 0),
    LEWriteRFPathCompensation.opcode: at(39, 1),
    LESetPrivacyMode.opcode: at(39, 2),
    LEGenerateDHKeyV2.opcode: at(41, 2),
    LEReadBufferSizeV2.opcode: at(41, 5),
    LESetHostFeature.opcode: at(44, 1),
    LEEnhancedReadTransmitPowerLevel.opcode: at(44, 3),
  ]
}

extension HCISupportedCommands: WireValue {
  init(from reader: inout ByteReader, field: StaticString) throws(DecodeError) {
    self.init(octets: try reader.octets(Self.width, field))
  }

  func encode(into writer: inout ByteWriter) { writer.append(contentsOf: octets) }
  static var example: Self { Self([HCIReset.opcode, LESetEventMask.opcode]) }
}
