import BLECore

/// What is measured of people, with public sources.
extension FixedLayout {
  static let bodies = miScale + xiaogui + oralB + huami + polar

  /// Xiaomi's scales, of weight alone and of body composition. Weight that is not steady yet, and what stands there when the scale is left again, is
  /// no measurement. Sources: https://github.com/custom-components/ble_monitor, https://github.com/theengs/decoder and
  /// https://github.com/oliexdev/openScale
  private static let miScale: [FixedLayout] = [
    FixedLayout(
      format: .miScale, place: .service(0x181D), lengths: [10],
      fields: [
        FixedField("Status", 0..<1).framing,
        FixedField(.mass, 1..<3).over(200, in: 0.0...400.0).when(OctetBits(0, 0xA1, is: 0x20)),
        FixedField(.massInPounds, 1..<3).over(100, in: 0.0...900.0).when(OctetBits(0, 0xA1, is: 0x21)),
      ] + time(at: 3)),
    FixedLayout(
      format: .miScale, place: .service(0x181B), lengths: [13],
      fields: [FixedField("Status", 0..<2).framing] + time(at: 2) + [
        FixedField(.impedance, 9..<11).when(OctetBits(1, 0xA2, is: 0x22)).with { $0.none = [0, 0xFFFE, 0xFFFF] },
        FixedField(.mass, 11..<13).over(200, in: 0.0...400.0).when(
          OctetBits(1, 0xA0, is: 0x20), OctetBits(0, 0x01, is: 0)),
        FixedField(.massInPounds, 11..<13).over(100, in: 0.0...900.0).when(
          OctetBits(1, 0xA0, is: 0x20), OctetBits(0, 0x01, is: 1)),
      ]),
  ]

  /// The services are everybody's: it has to be a time.
  private static func time(at place: Int) -> [FixedField] {
    let parts: [(String, Int, ClosedRange<Double>)] = [
      ("Month", 2, 1...12), ("Day", 3, 1...31), ("Hour", 4, 0...23), ("Minute", 5, 0...59), ("Second", 6, 0...59),
    ]
    return [FixedField("Year", place..<place + 2).within(2_000...2_099).framing]
      + parts.map { FixedField($0.0, place + $0.1..<place + $0.1 + 1).within($0.2).framing }
  }

  /// Xiaogui's TZC4, a scale, with a counter where the company identifier belongs. Sources:
  /// https://github.com/custom-components/ble_monitor and https://github.com/oliexdev/openScale
  private static let xiaogui: [FixedLayout] = [
    FixedLayout(
      format: .xiaogui, place: .manufacturer, lengths: [15], constants: [0: [0xC0], 8: [0x20, 0x21, 0x24, 0x25]],
      address: (9, false),
      fields: [
        FixedField("Counter", 1..<2).framing,
        FixedField(.mass, 2..<4, .big).over(10, in: 0.0...400.0).when(OctetBits(8, 0xFF, is: 0x21)),
        FixedField(.mass, 2..<4, .big).over(100, in: 0.0...400.0).when(OctetBits(8, 0xFF, is: 0x25)),
        FixedField(.impedance, 4..<6, .big).over(10, none: [0]).when(OctetBits(8, 0xFB, is: 0x21)),
        FixedField("Status", 8..<9).framing, .address(9),
      ])
  ]

  /// Oral-B's toothbrushes. Sources: https://github.com/Bluetooth-Devices/oralb-ble, https://github.com/custom-components/ble_monitor and
  /// https://github.com/theengs/decoder
  private static let oralB: [FixedLayout] = [
    FixedLayout(
      format: .oralB, place: .company(0x00DC), lengths: [9, 11],
      constants: [3: Set(brushStates.keys.map(UInt8.init(truncatingIfNeeded:)))],
      fields: [
        FixedField("Protocol", 0..<1).framing, FixedField("Type", 1..<2).framing, FixedField("Software", 2..<3).framing,
        FixedField(.running, 3..<4).saying(brushStates), FixedField("Pressure", 4..<5).framing,
        FixedField(.duration, 5..<7, .minutesAndSeconds), FixedField("Mode", 7..<8), FixedField("Sector", 8..<9),
      ])
  ]

  /// 3 is brushing; the others are being charged, waiting, and the like.
  private static let brushStates: [Int: String] = Dictionary(
    uniqueKeysWithValues: [0, 1, 2, 3, 4, 5, 6, 8, 9, 0x71, 0x72, 0x73, 0x74].map { ($0, $0 == 3 ? "yes" : "no") })

  /// Huami's bands and watches (Mi Band, Amazfit), of those that show it. Sources: https://github.com/custom-components/ble_monitor and
  /// https://github.com/theengs/decoder
  private static let huami: [FixedLayout] = [
    FixedLayout(
      format: .huami, place: .company(0x0157), lengths: [24], constants: [0: [0x02]], address: (18, false),
      fields: [FixedField(.heartRate, 3..<4).with { $0.none = [0, 255] }, .address(18)]),
    FixedLayout(
      format: .huami, place: .service(0xFEE0), lengths: [4], fields: [FixedField(.steps, 0..<4).within(0...200_000)]),
  ]

  /// Polar's belts. Sources: https://github.com/polarofficial/polar-ble-sdk and https://github.com/theengs/decoder
  private static let polar: [FixedLayout] = [polar(3, 2), polar(4, 3)]

  private static func polar(_ length: Int, _ place: Int) -> FixedLayout {
    FixedLayout(
      format: .polar, place: .company(0x006B), lengths: [length], bits: [OctetBits(0, 0x40, is: 0)], names: ["Polar "],
      fields: [FixedField("Status", 0..<1).framing, FixedField(.heartRate, place..<place + 1).with { $0.none = [0] }])
  }
}
