import BLECore

/// The layouts of makers, each with its public source.
extension FixedLayout {
  /// Humidity and a battery's charge.
  static let percents = 0.0...100.0
  /// Of the air, the widest that any of these thermometers measures.
  static let degrees = -60.0...150.0

  /// RuuviTag, data formats 3 and 5. Sources: https://docs.ruuvi.com/communication/bluetooth-advertisements/data-format-3-rawv1 and
  /// https://docs.ruuvi.com/communication/bluetooth-advertisements/data-format-5-rawv2
  static let ruuvi: [FixedLayout] = [
    FixedLayout(
      format: .ruuvi, place: .company(0x0499), lengths: [14], constants: [0: [3]],
      fields: [
        FixedField("Data format", 0..<1).framing, FixedField(.humidity, 1..<2).over(2),
        FixedField(.temperature, 2..<4, .degreesAndHundredths),
        FixedField(.pressure, 4..<6, .big).with { ($0.offset, $0.divisor) = (50_000, 100) },
      ] + ruuviAcceleration(at: 6) + [FixedField(.voltage, 12..<14, .big).over(1_000)]),
    FixedLayout(
      format: .ruuvi, place: .company(0x0499), lengths: [24], constants: [0: [5]],
      fields: [
        FixedField("Data format", 0..<1).framing,
        FixedField(.temperature, 1..<3, .signedBig).over(200, none: [0x8000]),
        FixedField(.humidity, 3..<5, .big).over(400, none: [0xFFFF]),
        FixedField(.pressure, 5..<7, .big).with { ($0.offset, $0.divisor, $0.none) = (50_000, 100, [0xFFFF]) },
      ] + ruuviAcceleration(at: 7) + [
        FixedField(.voltage, 13..<15, .big).with {
          ($0.bits, $0.offset, $0.divisor, $0.none) = (5..<16, 1_600, 1_000, [2_047])
        },
        FixedField("Transmit power", 13..<15, .big, unit: "dBm").with {
          ($0.bits, $0.factor, $0.offset, $0.none) = (0..<5, 2, -40, [31])
        },
        FixedField(.movements, 15..<16).with { $0.none = [255] },
        FixedField("Measurement number", 16..<18, .big).with { $0.none = [0xFFFF] }.framing,
        FixedField("Device address", 18..<24, .addressBig).framing,
      ]),
  ]

  /// Thousandths of the earth's acceleration, which is 9.80665 m/s².
  private static func ruuviAcceleration(at place: Int) -> [FixedField] {
    [MeasurementKind.accelerationX, .accelerationY, .accelerationZ].enumerated().map { index, kind in
      let start = place + 2 * index
      return FixedField(kind, start..<start + 2, .signedBig).with {
        ($0.factor, $0.divisor, $0.none) = (980_665, 100_000_000, [0x8000])
      }
    }
  }

  /// Thermometers of Xiaomi and others with the firmware ATC_MiThermometer, in both of its own formats. The service is one of everybody's, so that
  /// the device's address in the frame has to be the one that was heard. Sources:
  /// https://github.com/atc1441/ATC_MiThermometer#advertising-format-of-the-custom-firmware and
  /// https://github.com/pvvx/ATC_MiThermometer#bluetooth-advertising-formats
  static let thermometerFirmware: [FixedLayout] = [
    FixedLayout(
      format: .atc, place: .service(0x181A), lengths: [13], address: (0, false),
      fields: [
        FixedField("Device address", 0..<6, .addressBig).framing,
        FixedField(.temperature, 6..<8, .signedBig).over(10, in: degrees),
        FixedField(.humidity, 8..<9).within(percents), FixedField(.battery, 9..<10).within(percents),
        FixedField(.voltage, 10..<12, .big).over(1_000), FixedField("Counter", 12..<13).framing,
      ]),
    FixedLayout(
      format: .atc, place: .service(0x181A), lengths: [15], address: (0, true),
      fields: [
        FixedField("Device address", 0..<6, .addressLittle).framing,
        FixedField(.temperature, 6..<8, .signedLittle).over(100, in: degrees),
        FixedField(.humidity, 8..<10).over(100, in: percents), FixedField(.voltage, 10..<12).over(1_000),
        FixedField(.battery, 12..<13).within(percents), FixedField("Counter", 13..<14).framing,
        FixedField("Flags", 14..<15).framing,
      ]),
  ]

  /// Thermometers of Govee. Sources: https://github.com/Bluetooth-Devices/govee-ble and https://github.com/theengs/decoder
  static let govee: [FixedLayout] = [
    // H5072 and H5075.
    FixedLayout(
      format: .govee, place: .company(0xEC88), lengths: [6], constants: [0: [0]], fields: packed(at: 1)),
    // These have a company identifier that is not Govee's; H5106 has other measurements in as many octets.
    FixedLayout(
      format: .govee, place: .company(0x0001), lengths: [6], constants: [0: [1], 1: [1]],
      names: [
        "GVH5100", "GVH5101", "GVH5102", "GVH5103", "GVH5104", "GVH5105", "GVH5110", "GVH5174", "GVH5177",
      ], fields: packed(at: 2)),
    // H5074, and H5051, H5052 and H5071.
    FixedLayout(
      format: .govee, place: .company(0xEC88), lengths: [7, 9], constants: [0: [0]],
      fields: [
        FixedField(.temperature, 1..<3, .signedLittle).over(100, in: degrees),
        FixedField(.humidity, 3..<5).over(100, in: percents), FixedField(.battery, 5..<6).within(percents),
      ]),
  ]

  /// Temperature and humidity in one number of decimal digits: tenths of a degree, and three digits of tenths of a percent.
  private static func packed(at place: Int) -> [FixedField] {
    let octets = place..<place + 3
    return [
      FixedField(.temperature, octets, .magnitudeBig).over(10, in: degrees).with { $0.quotient = 1_000 },
      FixedField(.humidity, octets, .big).over(10).with { ($0.bits, $0.remainder) = (0..<23, 1_000) },
      // With the highest bit set, nothing was measured: that is outside of the range too.
      FixedField(.battery, place + 3..<place + 4).within(percents),
    ]
  }

  /// SwitchBot's Meter, Meter Plus and outdoor meter. Sources: https://github.com/OpenWonderLabs/SwitchBotAPI-BLE/blob/latest/devicetypes/meter.md,
  /// https://github.com/sblibs/pySwitchbot and https://github.com/custom-components/ble_monitor
  static let switchBot: [FixedLayout] = [
    FixedLayout(format: .switchBot, place: .service(0xFD3D), lengths: [6], constants: [0: meters], fields: meter),
    // The older service identifier is not SwitchBot's: its own service has to be advertised.
    FixedLayout(
      format: .switchBot, place: .service(0x0D00), lengths: [6], constants: [0: meters],
      service: BLEUUID("CBA20D00-224D-11E6-9FB8-0002A5D5C51B"), fields: meter),
    // The outdoor meter has its charge in the data of the service, and the rest here.
    FixedLayout(
      format: .switchBot, place: .company(0x0969), lengths: [12], beside: (0xFD3D, 0x77), address: (0, false),
      fields: [
        FixedField("Device address", 0..<6, .addressBig).framing,
        FixedField(.temperature, 8..<10, .tenthsAndDegrees), FixedField(.humidity, 10..<11).within(percents).lowBits,
      ]),
    FixedLayout(
      format: .switchBot, place: .service(0xFD3D), lengths: [3], constants: [0: [0x77]],
      fields: [FixedField("Device type", 0..<1).framing, FixedField(.battery, 2..<3).within(percents).lowBits]),
  ]

  /// T and t, and i for the Meter Plus.
  private static let meters: Set<UInt8> = [0x54, 0x74, 0x69]
  private static let meter = [
    FixedField("Device type", 0..<1).framing, FixedField(.battery, 2..<3).within(percents).lowBits,
    FixedField(.temperature, 3..<5, .tenthsAndDegrees), FixedField(.humidity, 5..<6).within(percents).lowBits,
  ]

  /// Inkbird's IBS-TH and IBS-TH2, whose thermometer alone measures no humidity. Sources: https://github.com/Bluetooth-Devices/inkbird-ble and
  /// https://github.com/custom-components/ble_monitor
  static let inkbird: [FixedLayout] = [
    FixedLayout(
      format: .inkbird, place: .manufacturer, lengths: [9], names: ["sps"], check: 5,
      fields: [
        FixedField(.temperature, 0..<2, .signedLittle).over(100, in: degrees),
        FixedField(.humidity, 2..<4).over(100, none: [0], in: percents),
        FixedField("Probe", 4..<5).saying([0: "inside", 1: "outside"]), FixedField("Check", 5..<7).framing,
        FixedField(.battery, 7..<8).within(percents),
      ]),
    FixedLayout(
      format: .inkbird, place: .manufacturer, lengths: [9], constants: [2: [0], 3: [0]], names: ["tps"], check: 5,
      fields: [
        FixedField(.temperature, 0..<2, .signedLittle).over(100, in: degrees),
        FixedField("Probe", 4..<5).saying([0: "inside", 1: "outside"]), FixedField("Check", 5..<7).framing,
        FixedField(.battery, 7..<8).within(percents),
      ]),
  ]

  /// ThermoPro's TP350 to TP359 and TP393, which have data where the company identifier belongs. What the fifth octet says of the battery is not
  /// told alike everywhere. Sources: https://github.com/Bluetooth-Devices/thermopro-ble and https://github.com/theengs/decoder
  static let thermoPro: [FixedLayout] = [
    FixedLayout(
      format: .thermoPro, place: .manufacturer, lengths: [6, 7], constants: [0: [0xC2]], names: ["TP35", "TP393"],
      fields: [
        FixedField(.temperature, 1..<3, .signedLittle).over(10, in: degrees),
        FixedField(.humidity, 3..<4).within(percents),
      ])
  ]
}

extension FixedField {
  fileprivate var framing: FixedField { with { $0.isFraming = true } }
  /// Without the highest bit of an octet.
  fileprivate var lowBits: FixedField { with { $0.bits = 0..<7 } }
}
