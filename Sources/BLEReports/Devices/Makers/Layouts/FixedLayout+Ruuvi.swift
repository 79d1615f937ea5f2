import BLECore
import Foundation

/// Ruuvi's sensors, as it describes them itself.
extension FixedLayout {
  /// RuuviTag, data formats 3 and 5. Sources: https://docs.ruuvi.com/communication/bluetooth-advertisements/data-format-3-rawv1 and
  /// https://docs.ruuvi.com/communication/bluetooth-advertisements/data-format-5-rawv2
  static let ruuvi: [FixedLayout] = [
    FixedLayout(
      format: .ruuvi, place: .company(0x0499), lengths: [14], constants: [0: [3]],
      fields: [
        FixedField("Data format", 0..<1).framing, FixedField(.humidity, 1..<2).over(2),
        FixedField(.temperature, 2..<4, .degreesAndHundredths),
        FixedField(.pressure, 4..<6, .big).scaled(1, 50_000, 100, decimals: nil),
      ] + FixedField.axes(at: 6, .signedBig) { thousandths($0).with { $0.none = [0x8000] } } + [
        FixedField(.voltage, 12..<14, .big).over(1_000)
      ]),
    FixedLayout(
      format: .ruuvi, place: .company(0x0499), lengths: [24], constants: [0: [5]],
      fields: [
        FixedField("Data format", 0..<1).framing
      ] + climate + FixedField.axes(at: 7, .signedBig) { thousandths($0).with { $0.none = [0x8000] } } + [
        FixedField(.voltage, 13..<15, .big).scaled(1, 1_600, 1_000, decimals: nil).with {
          ($0.bits, $0.none) = (5..<16, [2_047])
        },
        FixedField("Transmit power", 13..<15, .big, unit: "dBm").scaled(2, -40, 1, decimals: nil).with {
          ($0.bits, $0.none) = (0..<5, [31])
        },
        FixedField(.movements, 15..<16).with { $0.none = [255] },
        FixedField("Measurement number", 16..<18, .big).with { $0.none = [0xFFFF] }.framing, .address(18),
      ]),
    air(
      6, 20,
      [FixedField(.fineDust, 7..<9, .big).over(10, none: [0xFFFF]), carbonDioxide(9)] + indices(at: 11, flags: 16) + [
        FixedField(.illuminance, 13..<14).with { $0.table = lux }, FixedField("Measurement number", 15..<16).framing,
        calibration(16), FixedField("End of the address", 17..<20).framing,
      ]),
    air(
      0xE1, 40,
      [.finestDust, .fineDust, .respirableDust, .dust].enumerated().map { index, kind in
        FixedField(kind, 7 + 2 * index..<9 + 2 * index, .big).over(10, none: [0xFFFF])
      } + [carbonDioxide(15)] + indices(at: 17, flags: 28) + [
        FixedField(.illuminance, 19..<22, .big).over(100, none: [0xFFFFFF]),
        FixedField("Measurement number", 25..<28, .big).with { $0.none = [0xFFFFFF] }.framing, calibration(28),
        .address(34),
      ]),
  ]

  /// Ruuvi Air, data formats 6 and E1. Sources: https://docs.ruuvi.com/communication/bluetooth-advertisements/data-format-6 and
  /// https://docs.ruuvi.com/communication/bluetooth-advertisements/data-format-e1
  private static func air(_ format: UInt8, _ length: Int, _ fields: [FixedField]) -> FixedLayout {
    FixedLayout(
      format: .ruuvi, place: .company(0x0499), lengths: [length], constants: [0: [format]],
      fields: [FixedField("Data format", 0..<1).framing] + climate + fields)
  }

  private static let climate = [
    FixedField(.temperature, 1..<3, .signedBig).over(200, none: [0x8000]),
    FixedField(.humidity, 3..<5, .big).over(400, none: [0xFFFF]),
    FixedField(.pressure, 5..<7, .big).scaled(1, 50_000, 100, decimals: nil).with { $0.none = [0xFFFF] },
  ]

  private static func carbonDioxide(_ place: Int) -> FixedField {
    FixedField(.carbonDioxide, place..<place + 2, .big).with { $0.none = [0xFFFF] }
  }

  /// Their least significant bits are in the flags.
  private static func indices(at place: Int, flags: Int) -> [FixedField] {
    [
      FixedField(.organicIndex, place..<place + 1).with { ($0.lowest, $0.none) = ((flags, 6), [511]) },
      FixedField(.nitrogenIndex, place + 1..<place + 2).with { ($0.lowest, $0.none) = ((flags, 7), [511]) },
    ]
  }

  private static func calibration(_ place: Int) -> FixedField {
    FixedField("Calibration", place..<place + 1).bit(0, "complete", "in progress")
  }

  /// 65,535 lx and below, on a logarithmic scale.
  private static let lux = Dictionary(
    uniqueKeysWithValues: (0...254).map { ($0, Int((exp(Double($0) * log(65_536) / 254) - 1).rounded())) })
}
