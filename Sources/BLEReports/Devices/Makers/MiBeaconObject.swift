/// A kind of event or property in Xiaomi's MiBeacon, by its identifier. Sources: Xiaomi's *Object* protocol
/// (https://github.com/MiEcosystem/miio_open/blob/master/ble/03-%E7%B1%B3%E5%AE%B6BLE%20Object%E5%8D%8F%E8%AE%AE.md), and for 0x1014, 0x1015, 0x1017
/// to 0x1019 and 0x4C01 to 0x4C08 https://github.com/Bluetooth-Devices/xiaomi-ble.
struct MiBeaconObject: Sendable {
  /// In octets.
  let length: Int
  let fields: [FixedField]
  /// The products for which this is known, where others use the identifier for something else; `nil`: all.
  var products: Set<UInt16>?
  /// Products that use it for something else.
  var others: Set<UInt16> = []

  init(_ length: Int, _ fields: [FixedField], only products: Set<UInt16>? = nil, but others: Set<UInt16> = []) {
    (self.length, self.fields, self.products, self.others) = (length, fields, products, others)
  }

  /// - Returns: `nil` for an identifier that is not known, or that means something else in this product.
  static func known(_ identifier: UInt16, of product: UInt16) -> MiBeaconObject? {
    guard let object = all[identifier], object.products?.contains(product) ?? true, !object.others.contains(product)
    else { return nil }
    return object
  }

  private static let percents = 0.0...100.0
  /// Air, soil and kettles.
  private static let degrees = -100.0...200.0
  /// MJYD02YL and MCCGQ02HL, for whose light 100 stands for all that is bright.
  private static let lights: Set<UInt16> = [0x07F6, 0x098B]
  /// Both kinds of LYWSD02MMC, MJWSD05MMC and XMWSDJ04MMC: these identifiers are of a product's own table.
  private static let thermometers: Set<UInt16> = [0x16E4, 0x2542, 0x2832, 0x1203]

  private static let temperature = FixedField(.temperature, 0..<2, .signedLittle).over(10, in: degrees)
  private static let battery = FixedField(.battery, 0..<1).within(percents)

  static let all: [UInt16: MiBeaconObject] = [
    0x0007: MiBeaconObject(
      1,
      [
        FixedField(.door, 0..<1).saying([0: "open", 1: "closed", 2: "open"]),
        FixedField(.doorEvent, 0..<1).saying([
          0: "opened", 1: "closed", 2: "left open", 3: "knock", 4: "pried", 5: "stuck",
        ]),
      ]),
    0x000A: MiBeaconObject(2, [FixedField(.temperature, 0..<2, .signedLittle).over(100, in: degrees)]),
    0x1001: MiBeaconObject(3, [FixedField(.button, 0..<2), FixedField(.press, 2..<3)]),
    0x1004: MiBeaconObject(2, [temperature]),
    0x1005: MiBeaconObject(
      2,
      [
        FixedField("State", 0..<1).saying([0: "standby", 1: "heating", 2: "boiling", 3: "keeping warm", 4: "failure"]),
        FixedField(.temperature, 1..<2, .signedLittle),
      ]),
    0x1006: MiBeaconObject(2, [FixedField(.humidity, 0..<2).over(10, in: percents)]),
    0x1007: MiBeaconObject(3, [FixedField(.illuminance, 0..<3)], but: lights),
    0x1008: MiBeaconObject(1, [FixedField(.moisture, 0..<1).within(percents)]),
    0x1009: MiBeaconObject(2, [FixedField(.conductivity, 0..<2)]),
    0x100A: MiBeaconObject(1, [battery]),
    0x100D: MiBeaconObject(4, [temperature, FixedField(.humidity, 2..<4).over(10, in: percents)]),
    0x100F: MiBeaconObject(1, [FixedField(.door, 0..<1).saying([0: "open", 1: "closed"])]),
    0x1010: MiBeaconObject(2, [FixedField(.formaldehyde, 0..<2).over(100)]),
    0x1012: MiBeaconObject(1, [FixedField(.powerOn, 0..<1).saying([0: "off", 1: "on"])]),
    0x1013: MiBeaconObject(1, [FixedField(.supply, 0..<1).within(percents)]),
    0x1014: MiBeaconObject(1, [FixedField(.wet, 0..<1).saying([0: "dry", 1: "wet"])]),
    0x1015: MiBeaconObject(1, [FixedField(.smoke, 0..<1).saying([0: "clear", 1: "detected"])]),
    0x1017: MiBeaconObject(4, [FixedField(.idle, 0..<4)]),
    0x1018: MiBeaconObject(1, [FixedField(.light, 0..<1).saying([0: "none", 1: "detected"])]),
    0x1019: MiBeaconObject(1, [FixedField(.opening, 0..<1).saying([0: "open", 1: "closed", 2: "open"])]),
    0x4C01: MiBeaconObject(4, [FixedField(.temperature, 0..<4, .binary32).within(degrees)], only: thermometers),
    0x4C02: MiBeaconObject(1, [FixedField(.humidity, 0..<1).within(percents)], only: thermometers),
    0x4C03: MiBeaconObject(1, [battery], only: thermometers),
    0x4C08: MiBeaconObject(4, [FixedField(.humidity, 0..<4, .binary32).within(percents)], only: thermometers),
  ]
}
