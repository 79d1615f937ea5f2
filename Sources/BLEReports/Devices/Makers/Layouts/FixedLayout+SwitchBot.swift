import BLECore

/// Sources: https://github.com/OpenWonderLabs/SwitchBotAPI-BLE, https://github.com/sblibs/pySwitchbot, https://github.com/theengs/decoder and, for the
/// Meter, https://github.com/custom-components/ble_monitor
extension FixedLayout {
  static let switchBot: [FixedLayout] =
    inService([6], [0x54, 0x74, 0x69], meter) + inService([9], [0x64], contact) + inService([6], [0x73], presence)
    + inService([5, 6], [0x63, 0x7B], curtain) + inService([3, 4], [0x48], bot) + [
      // The outdoor meter, Meter Pro and its variant with carbon dioxide have their charge in the data of the service, and the rest here.
      inManufacturerData(12, beside: 0x77, []), inManufacturerData(13, beside: 0x34, []),
      inManufacturerData(
        16, beside: 0x35, [FixedField(.carbonDioxide, 13..<15, .big).within(0...9_999)]),
      FixedLayout(
        format: .switchBot, place: .service(0xFD3D), lengths: [3], constants: [0: [0x77, 0x34, 0x35]],
        fields: [type, charge]),
    ]

  /// In the data of SwitchBot's service, or of an older one that is not SwitchBot's: there its own service has to be advertised.
  private static func inService(
    _ lengths: Set<Int>, _ types: Set<UInt8>, _ fields: [FixedField]
  ) -> [FixedLayout] {
    let layout = FixedLayout(
      format: .switchBot, place: .service(0xFD3D), lengths: lengths, constants: [0: types],
      fields: [type] + fields)
    return [
      layout,
      layout.with {
        ($0.place, $0.service) = (.service(0x0D00), BLEUUID("CBA20D00-224D-11E6-9FB8-0002A5D5C51B"))
      },
    ]
  }

  private static func inManufacturerData(
    _ length: Int, beside type: UInt8, _ more: [FixedField]
  ) -> FixedLayout {
    FixedLayout(
      format: .switchBot, place: .company(0x0969), lengths: [length], beside: (0xFD3D, type), address: (0, false),
      fields: [
        .address(0), FixedField(.temperature, 8..<10, .tenthsAndDegrees),
        FixedField(.humidity, 10..<11).within(FixedField.percents).lowBits,
      ] + more)
  }

  private static let type = FixedField("Device type", 0..<1).framing
  private static let charge = FixedField.battery(2).lowBits

  private static let meter = [
    charge, FixedField(.temperature, 3..<5, .tenthsAndDegrees),
    FixedField(.humidity, 5..<6).within(FixedField.percents).lowBits,
  ]
  private static let contact = [
    FixedField(.motion, 1..<2).bit(6, "clear", "detected"), charge,
    FixedField(.opening, 3..<4).saying([0: "closed", 1: "open", 2: "open"]).with { $0.bits = 1..<3 },
    FixedField(.light, 3..<4).bit(0, "none", "detected"),
  ]
  private static let presence = [
    FixedField(.motion, 1..<2).bit(6, "clear", "detected"), charge,
    FixedField(.light, 5..<6).saying([1: "none", 2: "detected"]).with { $0.bits = 0..<2 },
  ]
  private static let curtain = [
    charge, FixedField(.closedPart, 3..<4).within(FixedField.percents).lowBits,
    FixedField(.moving, 3..<4).bit(7, "no", "yes"),
  ]
  /// In its other mode it presses and lets go.
  private static let bot = [
    FixedField(.powerOn, 1..<2).bit(6, "on", "off").when(OctetBits(1, 0x80, is: 0x80)), charge,
  ]
}
