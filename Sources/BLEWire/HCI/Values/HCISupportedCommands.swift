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

  /// The commands by octet and bit. One that is not here has no bit.
  static let table: [Int: [Int: any HCICommand.Type]] = [
    0: [5: HCIDisconnect.self],
    2: [7: HCIReadRemoteVersionInformation.self],
    5: [6: HCISetEventMask.self, 7: HCIReset.self],
    10: [
      2: HCIReadTransmitPowerLevel.self, 5: HCISetControllerToHostFlowControl.self, 6: HCIHostBufferSize.self,
      7: HCIHostNumberOfCompletedPackets.self,
    ],
    14: [3: HCIReadLocalVersionInformation.self, 5: HCIReadLocalSupportedFeatures.self, 7: HCIReadBufferSize.self],
    15: [1: HCIReadBDADDR.self, 5: HCIReadRSSI.self],
    22: [2: HCISetEventMaskPage2.self],
    24: [6: HCIWriteLEHostSupport.self],
    25: [
      0: LESetEventMask.self, 1: LEReadBufferSize.self, 2: LEReadLocalSupportedFeatures.self,
      4: LESetRandomAddress.self, 5: LESetAdvertisingParameters.self,
      6: LEReadAdvertisingPhysicalChannelTransmitPower.self, 7: LESetAdvertisingData.self,
    ],
    26: [
      0: LESetScanResponseData.self, 1: LESetAdvertisingEnable.self, 2: LESetScanParameters.self,
      3: LESetScanEnable.self, 4: LECreateConnection.self, 5: LECreateConnectionCancel.self,
      6: LEReadFilterAcceptListSize.self, 7: LEClearFilterAcceptList.self,
    ],
    27: [
      0: LEAddDeviceToFilterAcceptList.self, 1: LERemoveDeviceFromFilterAcceptList.self, 2: LEConnectionUpdate.self,
      3: LESetHostChannelClassification.self, 4: LEReadChannelMap.self, 5: LEReadRemoteFeatures.self, 6: LEEncrypt.self,
      7: LERand.self,
    ],
    28: [
      0: LEEnableEncryption.self, 1: LELongTermKeyRequestReply.self, 2: LELongTermKeyRequestNegativeReply.self,
      3: LEReadSupportedStates.self,
    ],
    32: [4: HCIReadAuthenticatedPayloadTimeout.self, 5: HCIWriteAuthenticatedPayloadTimeout.self],
    33: [
      4: LERemoteConnectionParameterRequestReply.self, 5: LERemoteConnectionParameterRequestNegativeReply.self,
      6: LESetDataLength.self, 7: LEReadSuggestedDefaultDataLength.self,
    ],
    34: [
      0: LEWriteSuggestedDefaultDataLength.self, 1: LEReadLocalP256PublicKey.self, 2: LEGenerateDHKey.self,
      3: LEAddDeviceToResolvingList.self, 4: LERemoveDeviceFromResolvingList.self, 5: LEClearResolvingList.self,
      6: LEReadResolvingListSize.self, 7: LEReadPeerResolvableAddress.self,
    ],
    35: [
      0: LEReadLocalResolvableAddress.self, 1: LESetAddressResolutionEnable.self,
      2: LESetResolvablePrivateAddressTimeout.self, 3: LEReadMaximumDataLength.self, 4: LEReadPHY.self,
      5: LESetDefaultPHY.self, 6: LESetPHY.self,
    ],
    36: [
      1: LESetAdvertisingSetRandomAddress.self, 2: LESetExtendedAdvertisingParameters.self,
      3: LESetExtendedAdvertisingData.self, 4: LESetExtendedScanResponseData.self,
      5: LESetExtendedAdvertisingEnable.self, 6: LEReadMaximumAdvertisingDataLength.self,
      7: LEReadNumberOfSupportedAdvertisingSets.self,
    ],
    37: [
      0: LERemoveAdvertisingSet.self, 1: LEClearAdvertisingSets.self, 5: LESetExtendedScanParameters.self,
      6: LESetExtendedScanEnable.self, 7: LEExtendedCreateConnection.self,
    ],
    38: [7: LEReadTransmitPower.self],
    39: [0: LEReadRFPathCompensation.self, 1: LEWriteRFPathCompensation.self, 2: LESetPrivacyMode.self],
    41: [2: LEGenerateDHKeyV2.self, 5: LEReadBufferSizeV2.self],
    44: [1: LESetHostFeature.self, 3: LEEnhancedReadTransmitPowerLevel.self],
  ]

  private static let bits: [HCIOpcode: Int] = {
    var bits: [HCIOpcode: Int] = [:]
    for (octet, row) in table {
      for (bit, command) in row { bits[command.opcode] = octet * 8 + bit }
    }
    return bits
  }()
}

extension HCISupportedCommands: WireValue {
  init(from reader: inout ByteReader, field: StaticString) throws(DecodeError) {
    self.init(octets: try reader.octets(Self.width, field))
  }

  func encode(into writer: inout ByteWriter) { writer.append(contentsOf: octets) }
  static var example: Self { Self([HCIReset.opcode, LESetEventMask.opcode]) }
}
