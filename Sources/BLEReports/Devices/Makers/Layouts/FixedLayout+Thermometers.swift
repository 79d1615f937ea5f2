import BLECore

/// Thermometers of rooms, with their public sources.
extension FixedLayout {
  static let thermometers = thermometerFirmware + govee + switchBot + inkbird + thermoPro

  /// Thermometers of Xiaomi and others with the firmware ATC_MiThermometer, in both of its own formats. The service is one of everybody's, so that
  /// the device's address in the frame has to be the one that was heard. Sources:
  /// https://github.com/atc1441/ATC_MiThermometer#advertising-format-of-the-custom-firmware and
  /// https://github.com/pvvx/ATC_MiThermometer#bluetooth-advertising-formats
  private static let thermometerFirmware: [FixedLayout] = [
    FixedLayout(
      format: .atc, place: .service(0x181A), lengths: [13], address: (0, false),
      fields: [
        .address(0), FixedField(.temperature, 6..<8, .signedBig).over(10, in: FixedField.degrees),
        FixedField(.humidity, 8..<9).within(FixedField.percents), .battery(9),
        FixedField(.voltage, 10..<12, .big).over(1_000), FixedField("Counter", 12..<13).framing,
      ]),
    FixedLayout(
      format: .atc, place: .service(0x181A), lengths: [15], address: (0, true),
      fields: [
        .address(0, isLittle: true), FixedField(.temperature, 6..<8, .signedLittle).over(100, in: FixedField.degrees),
        FixedField(.humidity, 8..<10).over(100, in: FixedField.percents), FixedField(.voltage, 10..<12).over(1_000),
        .battery(12), FixedField("Counter", 13..<14).framing, FixedField("Flags", 14..<15).framing,
      ]),
  ]

  /// Inkbird's IBS-TH, IBS-TH2 and IBS-P01B, of which some measure no humidity, and IBS-P02B, for a pool. Sources:
  /// https://github.com/Bluetooth-Devices/inkbird-ble, https://github.com/custom-components/ble_monitor and https://github.com/theengs/decoder
  private static let inkbird: [FixedLayout] = [
    FixedLayout(
      format: .inkbird, place: .manufacturer, lengths: [9], names: ["sps", "tps"], check: 5,
      fields: [
        FixedField(.temperature, 0..<2, .signedLittle).over(100, in: FixedField.degrees),
        FixedField(.humidity, 2..<4).over(100, none: [0, 0xFFFF], in: FixedField.percents),
        FixedField("Probe", 4..<5).saying([0: "inside", 1: "outside"]), FixedField("Check", 5..<7).framing,
        .battery(7),
      ]),
    FixedLayout(
      format: .inkbird, place: .manufacturer, lengths: [18], names: ["IBS-P02B"], address: (0, false),
      fields: [
        .address(0), FixedField(.temperature, 6..<8, .signedLittle).over(10, in: FixedField.degrees),
        FixedField(.humidity, 8..<10).over(10, none: [0], in: FixedField.percents), .battery(10),
      ]),
  ]

  /// ThermoPro's TP350 to TP359 and TP393, which have data where the company identifier belongs. What the fifth octet says of the battery is not
  /// told alike everywhere. Sources: https://github.com/Bluetooth-Devices/thermopro-ble and https://github.com/theengs/decoder
  private static let thermoPro: [FixedLayout] = [
    FixedLayout(
      format: .thermoPro, place: .manufacturer, lengths: [6, 7], constants: [0: [0xC2]], names: ["TP35", "TP393"],
      fields: [
        FixedField(.temperature, 1..<3, .signedLittle).over(10, in: FixedField.degrees),
        FixedField(.humidity, 3..<4).within(FixedField.percents),
      ])
  ]
}
