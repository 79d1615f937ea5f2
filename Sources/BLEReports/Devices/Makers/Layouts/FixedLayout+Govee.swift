import BLECore

/// Sources: https://github.com/Bluetooth-Devices/govee-ble, https://github.com/custom-components/ble_monitor and
/// https://github.com/theengs/decoder
extension FixedLayout {
  /// Thermometers of Govee.
  static let govee: [FixedLayout] = [
    // H5072 and H5075.
    FixedLayout(
      format: .govee, place: .company(0xEC88), lengths: [6], constants: [0: [0]], fields: packed(at: 1)),
    // These have a company identifier that is not Govee's.
    FixedLayout(
      format: .govee, place: .company(0x0001), lengths: [6], literals: [0: [1, 1]],
      names: [
        "GVH5100", "GVH5101", "GVH5102", "GVH5103", "GVH5104", "GVH5105", "GVH5110", "GVH5174", "GVH5177", "GV5179",
      ], fields: packed(at: 2)),
    // The air monitor has other measurements in as many octets.
    FixedLayout(
      format: .govee, place: .company(0x0001), lengths: [6], literals: [0: [1, 1]], names: ["GVH5106"],
      fields: [
        FixedField(.temperature, 2..<6, .magnitudeBig).over(10, in: FixedField.degrees).with {
          $0.quotient = 1_000_000
        },
        FixedField(.humidity, 2..<6, .big).over(10).with {
          ($0.bits, $0.quotient, $0.remainder) = (0..<31, 1_000, 1_000)
        },
        FixedField(.fineDust, 2..<6, .big).with { ($0.bits, $0.remainder) = (0..<31, 1_000) },
      ]),
    // H5178, which sends what it measures and what its sensor outside measures by turns.
    FixedLayout(
      format: .govee, place: .company(0x0001), lengths: [9], literals: [0: [1, 1, 0]], names: twoPlaces,
      fields: packed(at: 3)),
    FixedLayout(
      format: .govee, place: .company(0x0001), lengths: [9], literals: [0: [1, 1, 1]], names: twoPlaces,
      fields: packed(at: 3, .outsideTemperature, .outsideHumidity)),
    // H5074, and H5051, H5052 and H5071.
    FixedLayout(
      format: .govee, place: .company(0xEC88), lengths: [7, 9], constants: [0: [0]], fields: hundredths(at: 1)),
    FixedLayout(
      format: .govee, place: .company(0x8801), lengths: [9], literals: [0: [0xEC, 0x00, 0x01, 0x01]],
      fields: hundredths(at: 4)),
  ]

  private static let twoPlaces = ["B5178", "H5178", "GVH5178"]

  private static func hundredths(at place: Int) -> [FixedField] {
    [
      FixedField(.temperature, place..<place + 2, .signedLittle).over(100, in: FixedField.degrees),
      FixedField(.humidity, place + 2..<place + 4).over(100, in: FixedField.percents), .battery(place + 4),
    ]
  }

  /// Temperature and humidity in one number of decimal digits: tenths of a degree, and three digits of tenths of a percent.
  private static func packed(
    at place: Int, _ temperature: MeasurementKind = .temperature, _ humidity: MeasurementKind = .humidity
  ) -> [FixedField] {
    let octets = place..<place + 3
    return [
      FixedField(temperature, octets, .magnitudeBig).over(10, in: FixedField.degrees).with { $0.quotient = 1_000 },
      FixedField(humidity, octets, .big).over(10).with { ($0.bits, $0.remainder) = (0..<23, 1_000) },
      // With the highest bit set, nothing was measured: that is outside of the range too.
      .battery(place + 3),
    ]
  }

  // MARK: Meals

  /// Thermometers of meals. Instead of a company identifier they have the end of their address.
  static let goveeProbes: [FixedLayout] =
    [
      grill("5182", 19, alarms(1, at: 10) + alarms(2, at: 15)), grill("5183", 16, alarms(1, at: 10)),
      grill("5185", 22, alarms(1, at: 10) + alarms(2, at: 16)),
    ]
    // H5055 sends two of its six at a time.
    + (0..<3).map { pair in
      FixedLayout(
        format: .govee, place: .manufacturer, lengths: [22], constants: [6: [0x06, 0x20, 0x22]],
        bits: [OctetBits(5, 0xC0, is: UInt8(pair) << 6)], names: ["GVH5055"],
        fields: [
          .battery(4), whole(2 * pair, at: 7),
          FixedField("High alarm", 11..<13, unit: "°C").with { $0.none = [0xFFFF] },
          whole(2 * pair + 1, at: 14), FixedField("High alarm", 18..<20, unit: "°C").with { $0.none = [0xFFFF] },
        ])
    }

  private static func grill(_ service: String, _ length: Int, _ fields: [FixedField]) -> FixedLayout {
    FixedLayout(
      format: .govee, place: .manufacturer, lengths: [length], literals: [3: [0x01, 0x00, 0x01, 0x01, 0xE4]],
      service: BLEUUID(service), fields: fields)
  }

  private static func alarms(_ probe: Int, at place: Int) -> [FixedField] {
    [
      FixedField(.probes[probe - 1], place..<place + 2, .signedBig).over(100, none: [0xFFFF], in: FixedField.heat),
      FixedField("Alarm of probe \(probe)", place + 2..<place + 4, .big, unit: "°C").over(100, none: [0xFFFF]),
    ]
  }

  private static func whole(_ probe: Int, at place: Int) -> FixedField {
    FixedField(.probes[probe], place..<place + 2).with { ($0.none, $0.range) = ([0xFFFF], FixedField.heat) }
  }
}
