import BLECore

extension FixedField {
  /// With changes.
  func with(_ change: (inout FixedField) -> Void) -> FixedField {
    var copy = self
    change(&copy)
    return copy
  }

  /// Of a text of one word for each number.
  func saying(_ words: [Int: String]) -> FixedField { with { $0.words = words } }

  /// Of one bit: these words for 0 and 1.
  func bit(_ place: Int, _ off: String, _ on: String) -> FixedField {
    with { ($0.bits, $0.words) = (place..<place + 1, [0: off, 1: on]) }
  }

  /// Divided, and nothing where the number is one of `none`.
  func over(_ divisor: Int, none: Set<Int> = [], in range: ClosedRange<Double>? = nil) -> FixedField {
    with { ($0.divisor, $0.none, $0.range) = (divisor, none, range) }
  }

  /// `(number * factor + offset) / divisor`, at so many decimal places.
  func scaled(
    _ factor: Int, _ offset: Int, _ divisor: Int, decimals: Int? = 2, in range: ClosedRange<Double>? = nil
  ) -> FixedField {
    with {
      ($0.factor, $0.offset, $0.divisor, $0.decimals, $0.range) = (factor, offset, divisor, decimals, range)
    }
  }

  /// Numbers in this range.
  func within(_ range: ClosedRange<Double>) -> FixedField { with { $0.range = range } }

  /// A value only where these bits are so.
  func when(_ conditions: OctetBits...) -> FixedField { with { $0.conditions += conditions } }

  var framing: FixedField { with { $0.isFraming = true } }
  /// Without the highest bit of an octet.
  var lowBits: FixedField { with { $0.bits = 0..<7 } }

  /// Humidity and a battery's charge.
  static let percents = 0.0...100.0
  /// Of the air, the widest that any of these thermometers measures.
  static let degrees = -60.0...150.0
  /// Of a meal, and of the oven around it.
  static let heat = -60.0...600.0
  /// Of the air, from mountains to mines.
  static let hectopascals = 300.0...1_200.0
  /// Of a cell or two.
  static let volts = 1.5...4.5

  /// In percent.
  static func battery(_ place: Int) -> FixedField {
    FixedField(.battery, place..<place + 1).within(percents)
  }

  /// Thousandths of a volt.
  static func millivolts(_ octets: Range<Int>, _ coding: Coding = .little) -> FixedField {
    FixedField(.voltage, octets, coding).over(1_000, in: volts)
  }

  /// The address that has to be the one that was heard.
  static func address(_ place: Int, isLittle: Bool = false) -> FixedField {
    FixedField("Device address", place..<place + 6, isLittle ? .addressLittle : .addressBig).framing
  }

  /// Three values of two octets each, along the axes.
  static func axes(
    at place: Int, _ coding: Coding, _ change: (FixedField) -> FixedField
  ) -> [FixedField] {
    [MeasurementKind.accelerationX, .accelerationY, .accelerationZ].enumerated().map { index, kind in
      let start = place + 2 * index
      return change(FixedField(kind, start..<start + 2, coding))
    }
  }
}
