import BLECore

/// What numbers are called (Bluetooth SIG, Assigned Numbers). `nil` where a number has no name here.
public enum AssignedNumbers {
  /// `Heart Rate` for 0x180D; also services of members, and a few that everybody knows by their 128 bits.
  public static func service(_ uuid: BLEUUID) -> String? {
    guard let short = uuid.short else { return wellKnown(uuid) }
    return AssignedNumberTable.services[short] ?? AssignedNumberTable.members[short]
  }

  /// `Heart Rate Measurement` for 0x2A37.
  public static func characteristic(_ uuid: BLEUUID) -> String? {
    guard let short = uuid.short else { return wellKnown(uuid) }
    return short < 0x2B00 ? AssignedNumberTable.characteristics2A[short] : AssignedNumberTable.characteristics2B[short]
  }

  /// `Client Characteristic Configuration` for 0x2902.
  public static func descriptor(_ uuid: BLEUUID) -> String? {
    uuid.short.flatMap { AssignedNumberTable.descriptors[$0] }
  }

  /// `Primary Service` for 0x2800.
  public static func declaration(_ uuid: BLEUUID) -> String? {
    uuid.short.flatMap { AssignedNumberTable.declarations[$0] }
  }

  /// The name of whatever the UUID is.
  public static func name(_ uuid: BLEUUID) -> String? {
    declaration(uuid) ?? descriptor(uuid) ?? service(uuid) ?? characteristic(uuid)
  }

  /// `Apple, Inc.` for 0x004C.
  public static func company(_ identifier: UInt16) -> String? {
    AssignedNumberTable.companies[identifier]
  }

  /// `Heart Rate Belt` for 0x0341; for a subcategory without a name, the category's.
  public static func appearance(_ value: UInt16) -> String? {
    AssignedNumberTable.appearances[value] ?? AssignedNumberTable.appearances[value & 0xFFC0]
  }

  private static func wellKnown(_ uuid: BLEUUID) -> String? {
    wellKnownNames.first { $0.uuid == uuid }?.name
  }

  /// Published by their makers, not assigned.
  private static let wellKnownNames: [(uuid: BLEUUID, name: String)] = [
    (BLEUUID(high: 0x6E40_0001_B5A3_F393, low: 0xE0A9_E50E_24DC_CA9E), "Nordic UART"),
    (BLEUUID(high: 0x6E40_0002_B5A3_F393, low: 0xE0A9_E50E_24DC_CA9E), "Nordic UART RX"),
    (BLEUUID(high: 0x6E40_0003_B5A3_F393, low: 0xE0A9_E50E_24DC_CA9E), "Nordic UART TX"),
    (BLEUUID(high: 0x7905_F431_B5CE_4E99, low: 0xA40F_4B1E_122D_00D0), "Apple Notification Center"),
    (BLEUUID(high: 0x89D3_502B_0F36_433A, low: 0x8EF4_C502_AD55_F8DC), "Apple Media"),
    (BLEUUID(high: 0xD061_1E78_BBB4_4591, low: 0xA5F8_4879_10AE_4366), "Apple Continuity"),
  ]
}
