import BLECore

/// The type of an advertising data structure (Assigned Numbers, 2.3; Core Specification Supplement, Part A).
public struct AdvertisingDataType: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  public init(_ rawValue: UInt8) { self.rawValue = rawValue }

  public static let flags = AdvertisingDataType(0x01)
  public static let incomplete16BitServiceUUIDs = AdvertisingDataType(0x02)
  public static let complete16BitServiceUUIDs = AdvertisingDataType(0x03)
  public static let incomplete32BitServiceUUIDs = AdvertisingDataType(0x04)
  public static let complete32BitServiceUUIDs = AdvertisingDataType(0x05)
  public static let incomplete128BitServiceUUIDs = AdvertisingDataType(0x06)
  public static let complete128BitServiceUUIDs = AdvertisingDataType(0x07)
  public static let shortenedLocalName = AdvertisingDataType(0x08)
  public static let completeLocalName = AdvertisingDataType(0x09)
  public static let txPowerLevel = AdvertisingDataType(0x0A)
  public static let classOfDevice = AdvertisingDataType(0x0D)
  public static let simplePairingHashC192 = AdvertisingDataType(0x0E)
  public static let simplePairingRandomizerR192 = AdvertisingDataType(0x0F)
  public static let securityManagerTKValue = AdvertisingDataType(0x10)
  public static let securityManagerOutOfBandFlags = AdvertisingDataType(0x11)
  public static let peripheralConnectionIntervalRange = AdvertisingDataType(0x12)
  public static let solicited16BitServiceUUIDs = AdvertisingDataType(0x14)
  public static let solicited128BitServiceUUIDs = AdvertisingDataType(0x15)
  public static let serviceData16Bit = AdvertisingDataType(0x16)
  public static let publicTargetAddress = AdvertisingDataType(0x17)
  public static let randomTargetAddress = AdvertisingDataType(0x18)
  public static let appearance = AdvertisingDataType(0x19)
  public static let advertisingInterval = AdvertisingDataType(0x1A)
  public static let leBluetoothDeviceAddress = AdvertisingDataType(0x1B)
  public static let leRole = AdvertisingDataType(0x1C)
  public static let simplePairingHashC256 = AdvertisingDataType(0x1D)
  public static let simplePairingRandomizerR256 = AdvertisingDataType(0x1E)
  public static let solicited32BitServiceUUIDs = AdvertisingDataType(0x1F)
  public static let serviceData32Bit = AdvertisingDataType(0x20)
  public static let serviceData128Bit = AdvertisingDataType(0x21)
  public static let leSecureConnectionsConfirmationValue = AdvertisingDataType(0x22)
  public static let leSecureConnectionsRandomValue = AdvertisingDataType(0x23)
  public static let uri = AdvertisingDataType(0x24)
  public static let indoorPositioning = AdvertisingDataType(0x25)
  public static let transportDiscoveryData = AdvertisingDataType(0x26)
  public static let leSupportedFeatures = AdvertisingDataType(0x27)
  public static let channelMapUpdateIndication = AdvertisingDataType(0x28)
  public static let meshProvisioning = AdvertisingDataType(0x29)
  public static let meshMessage = AdvertisingDataType(0x2A)
  public static let meshBeacon = AdvertisingDataType(0x2B)
  public static let bigInfo = AdvertisingDataType(0x2C)
  public static let broadcastCode = AdvertisingDataType(0x2D)
  public static let resolvableSetIdentifier = AdvertisingDataType(0x2E)
  public static let advertisingIntervalLong = AdvertisingDataType(0x2F)
  public static let broadcastName = AdvertisingDataType(0x30)
  public static let encryptedAdvertisingData = AdvertisingDataType(0x31)
  public static let periodicAdvertisingResponseTimingInformation = AdvertisingDataType(0x32)
  public static let electronicShelfLabel = AdvertisingDataType(0x34)
  public static let information3D = AdvertisingDataType(0x3D)
  public static let manufacturerSpecificData = AdvertisingDataType(0xFF)
}

extension AdvertisingDataType: CustomStringConvertible {
  /// The assigned name, or the number of a type that has none.
  public var description: String { Self.names[self] ?? "AD type " + numberText(rawValue, digits: 2) }

  private static let names: [Self: String] = [
    .flags: "Flags", .incomplete16BitServiceUUIDs: "Incomplete List of 16-bit Service Class UUIDs",
    .complete16BitServiceUUIDs: "Complete List of 16-bit Service Class UUIDs",
    .incomplete32BitServiceUUIDs: "Incomplete List of 32-bit Service Class UUIDs",
    .complete32BitServiceUUIDs: "Complete List of 32-bit Service Class UUIDs",
    .incomplete128BitServiceUUIDs: "Incomplete List of 128-bit Service Class UUIDs",
    .complete128BitServiceUUIDs: "Complete List of 128-bit Service Class UUIDs",
    .shortenedLocalName: "Shortened Local Name", .completeLocalName: "Complete Local Name",
    .txPowerLevel: "Tx Power Level", .classOfDevice: "Class of Device",
    .simplePairingHashC192: "Simple Pairing Hash C-192",
    .simplePairingRandomizerR192: "Simple Pairing Randomizer R-192",
    .securityManagerTKValue: "Security Manager TK Value",
    .securityManagerOutOfBandFlags: "Security Manager Out of Band Flags",
    .peripheralConnectionIntervalRange: "Peripheral Connection Interval Range",
    .solicited16BitServiceUUIDs: "List of 16-bit Service Solicitation UUIDs",
    .solicited128BitServiceUUIDs: "List of 128-bit Service Solicitation UUIDs",
    .serviceData16Bit: "Service Data - 16-bit UUID", .publicTargetAddress: "Public Target Address",
    .randomTargetAddress: "Random Target Address", .appearance: "Appearance",
    .advertisingInterval: "Advertising Interval", .leBluetoothDeviceAddress: "LE Bluetooth Device Address",
    .leRole: "LE Role", .simplePairingHashC256: "Simple Pairing Hash C-256",
    .simplePairingRandomizerR256: "Simple Pairing Randomizer R-256",
    .solicited32BitServiceUUIDs: "List of 32-bit Service Solicitation UUIDs",
    .serviceData32Bit: "Service Data - 32-bit UUID", .serviceData128Bit: "Service Data - 128-bit UUID",
    .leSecureConnectionsConfirmationValue: "LE Secure Connections Confirmation Value",
    .leSecureConnectionsRandomValue: "LE Secure Connections Random Value", .uri: "URI",
    .indoorPositioning: "Indoor Positioning", .transportDiscoveryData: "Transport Discovery Data",
    .leSupportedFeatures: "LE Supported Features", .channelMapUpdateIndication: "Channel Map Update Indication",
    .meshProvisioning: "PB-ADV", .meshMessage: "Mesh Message", .meshBeacon: "Mesh Beacon", .bigInfo: "BIGInfo",
    .broadcastCode: "Broadcast_Code", .resolvableSetIdentifier: "Resolvable Set Identifier",
    .advertisingIntervalLong: "Advertising Interval - long", .broadcastName: "Broadcast_Name",
    .encryptedAdvertisingData: "Encrypted Advertising Data",
    .periodicAdvertisingResponseTimingInformation: "Periodic Advertising Response Timing Information",
    .electronicShelfLabel: "Electronic Shelf Label", .information3D: "3D Information Data",
    .manufacturerSpecificData: "Manufacturer Specific Data",
  ]
}
