import BLECore

extension AdvertisingField {
  public static var examples: [AdvertisingField] {
    let full = BLEUUID(high: 0x6E40_0001_B5A3_F393, low: 0xE0A9_E50E_24DC_CA9E)
    let sixteen = ArraySlice<UInt8>(0..<16)
    return [
      .flags([.leGeneralDiscoverableMode, .brEDRNotSupported]),
      .serviceUUIDs(AdvertisedUUIDs([BLEUUID(0x180D), BLEUUID(0x180F)], width: .short), isComplete: true),
      .serviceUUIDs(AdvertisedUUIDs([BLEUUID(medium: 0x1234_5678)], width: .medium), isComplete: false),
      .serviceUUIDs(AdvertisedUUIDs([full], width: .full), isComplete: false),
      .solicitedServiceUUIDs(AdvertisedUUIDs([BLEUUID(0x1812)], width: .short)),
      .solicitedServiceUUIDs(AdvertisedUUIDs([BLEUUID(medium: 0x1234_5678)], width: .medium)),
      .solicitedServiceUUIDs(AdvertisedUUIDs([full], width: .full)),
      .localName(AdvertisedName(octets: ArraySlice("Thermometer".utf8), isComplete: true)),
      .localName(AdvertisedName(octets: ArraySlice("Th".utf8), isComplete: false)),
      .txPowerLevel(-22), .classOfDevice(0x24_0404), .securityManagerTKValue(sixteen),
      .securityManagerOutOfBandFlags(0x05),
      .peripheralConnectionIntervalRange(PeripheralConnectionIntervalRange(minimum: 24, maximum: 40)),
      .serviceData(AdvertisedServiceData(uuid: BLEUUID(0x180F), data: [100])),
      .serviceData(AdvertisedServiceData(uuid: BLEUUID(medium: 0x1234_5678), data: [10, 11])),
      .serviceData(AdvertisedServiceData(uuid: full, data: [])),
      .targetAddresses([DeviceAddress(0x1122_3344_5566, kind: .public)], kind: .public),
      .targetAddresses([DeviceAddress(0xC122_3344_5566, kind: .random)], kind: .random),
      .appearance(0x0341), .advertisingInterval(160, octetCount: 2), .advertisingInterval(0x01_0000, octetCount: 3),
      .advertisingInterval(0x0100_0000, octetCount: 4),
      .leBluetoothDeviceAddress(DeviceAddress(0xC122_3344_5566, kind: .random)), .leRole(.peripheralPreferred),
      .leSecureConnectionsConfirmationValue(sixteen), .leSecureConnectionsRandomValue(sixteen),
      .uri([0x17] + ArraySlice("//example.com".utf8)), .leSupportedFeatures([0xFF, 0x79, 0x01]),
      .channelMapUpdateIndication(channelMap: [0xFF, 0xFF, 0xFF, 0xFF, 0x1F], instant: 0x1234),
      .broadcastCode(sixteen), .resolvableSetIdentifier(sixteen.prefix(6)),
      .broadcastName(ArraySlice("Gate 7".utf8)), .encryptedAdvertisingData(sixteen),
      .manufacturerSpecificData(OverflowArea([full]).manufacturerData),
      .manufacturerSpecificData(ManufacturerData(companyIdentifier: 0x0059, data: [1, 2, 3])),
      .other(AdvertisingStructure(type: .meshBeacon, data: [0, 1])),
      .malformed(AdvertisingStructure(type: .flags, data: [])),
    ]
  }
}

/// Advertising data: one entry for all its structures, because the types differ only in their content.
public enum AdvertisingDataRegistry {
  public static let all = [PacketDescription(AdvertisingField.self, layer: .advertisingData, code: nil)]
}
