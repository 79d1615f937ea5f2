import BLECore
import BLEWire

/// The properties that a controller reported at start-up.
public struct ControllerFeatures: Equatable, Sendable {
  /// The ``HCIVersion`` of the link layer.
  public internal(set) var version = HCIVersion(rawValue: 0)
  /// The vendor, from the assigned numbers.
  public internal(set) var companyIdentifier: UInt16 = 0
  /// `nil` if the controller has no public address.
  public internal(set) var publicAddress: DeviceAddress?
  public internal(set) var commands = HCISupportedCommands(octets: [])
  public internal(set) var lmpFeatures: LMPFeatures = []
  public internal(set) var leFeatures: LEFeatures = []
  public internal(set) var states = LESupportedStates(rawValue: 0)
  /// The octets of data in one packet to the controller, without the header.
  public internal(set) var aclDataPacketLength = 0
  /// The number of packets that the controller can hold.
  public internal(set) var aclDataPacketCount = 0
  public internal(set) var filterAcceptListSize = 0
  public internal(set) var resolvingListSize = 0
  /// The maximum number of octets of a sent and a received link-layer packet, 27 to 251.
  public internal(set) var maximumTransmitOctets: UInt16 = 27
  public internal(set) var maximumReceiveOctets: UInt16 = 27
  /// The maximum time for one such packet, in microseconds.
  public internal(set) var maximumTransmitTime: UInt16 = 328
  public internal(set) var maximumReceiveTime: UInt16 = 328
  /// 1 if the controller does not support the extended commands.
  public internal(set) var advertisingSetCount = 1
  /// In octets, 31 to 1650.
  public internal(set) var maximumAdvertisingDataLength = legacyAdvertisingDataLimit
  /// In dBm; `nil` if the controller does not report it.
  public internal(set) var transmitPower: ClosedRange<Int8>?

  init() {}

  /// Advertising and scanning by the extended commands: both are needed, since the legacy ones are then refused.
  public var supportsExtendedAdvertising: Bool {
    leFeatures.contains(.extendedAdvertising) && commands.contains(LESetExtendedAdvertisingParameters.self)
      && commands.contains(LESetExtendedAdvertisingEnable.self) && commands.contains(LESetExtendedScanParameters.self)
      && commands.contains(LESetExtendedScanEnable.self)
  }
  public var supportsExtendedConnecting: Bool {
    supportsExtendedAdvertising && commands.contains(LEExtendedCreateConnection.self)
  }
  public var supports2MPHY: Bool { leFeatures.contains(.phy2M) && commands.contains(LESetPHY.self) }
  public var supportsCodedPHY: Bool { leFeatures.contains(.codedPHY) && commands.contains(LESetPHY.self) }
  public var supportsDataLengthExtension: Bool {
    leFeatures.contains(.dataPacketLengthExtension) && commands.contains(LESetDataLength.self)
  }
  public var supportsPrivacy: Bool { leFeatures.contains(.privacy) && resolvingListSize > 0 }
}
