import BLECore

/// The UUIDs of GATT declarations, descriptors, services and characteristics (Assigned Numbers, 3.5 to 3.8).
public enum GATTType {
  public static let primaryService = BLEUUID(0x2800)
  public static let secondaryService = BLEUUID(0x2801)
  public static let include = BLEUUID(0x2802)
  public static let characteristic = BLEUUID(0x2803)
  public static let characteristicExtendedProperties = BLEUUID(0x2900)
  public static let characteristicUserDescription = BLEUUID(0x2901)
  public static let clientCharacteristicConfiguration = BLEUUID(0x2902)

  public static let genericAccess = BLEUUID(0x1800)
  public static let genericAttribute = BLEUUID(0x1801)
  public static let deviceName = BLEUUID(0x2A00)
  public static let appearance = BLEUUID(0x2A01)
  public static let serviceChanged = BLEUUID(0x2A05)
  public static let clientSupportedFeatures = BLEUUID(0x2B29)
  public static let databaseHash = BLEUUID(0x2B2A)
  public static let serverSupportedFeatures = BLEUUID(0x2B3A)
}
