import BLECore

/// A value at a fixed place of octets that are as long as their description says: of a maker's advertisement, or of one of its objects.
struct FixedField: Sendable {
  /// How the octets become a number.
  enum Coding: Sendable {
    /// The least significant octet first, or last.
    case little, big
    /// The same in two's complement.
    case signedLittle, signedBig
    /// The most significant bit says that the rest is below zero.
    case magnitudeBig
    /// A number of 32 bits with a binary point (IEEE 754), the least significant octet first; at two decimal places.
    case binary32
    /// Two octets: tenths in the low four bits of the first; in the second whole degrees, with the highest bit set at zero and above.
    case tenthsAndDegrees
    /// Two octets: whole degrees, with the highest bit set below zero, and hundredths.
    case degreesAndHundredths
    /// Six octets, the last of an address first, or the first one first.
    case addressLittle, addressBig
  }

  let name: String
  let unit: String?
  /// `nil` for what is no measurement.
  let measurement: MeasurementKind?
  let octets: Range<Int>
  let coding: Coding
  /// Which of the number's bits are the value's, from the least significant one; `nil`: all of them.
  var bits: Range<Int>?
  /// What the number means without a unit: other numbers mean nothing.
  var words: [Int: String] = [:]
  /// Numbers, without regard to their sign, that say that nothing was measured.
  var none: Set<Int> = []
  /// The number is divided by it, and the rest is dropped: two numbers can be packed in one, in decimal digits.
  var quotient = 1
  /// The rest of the division by it is taken.
  var remainder: Int?
  /// The value is (number * factor + offset) / divisor.
  var factor = 1
  var offset = 0
  var divisor = 1
  /// What can be measured. A frame with another value is not what it looks like.
  var range: ClosedRange<Double>?
  var isFraming = false

  init(_ kind: MeasurementKind, _ octets: Range<Int>, _ coding: Coding = .little) {
    (name, unit, measurement) = (kind.label, kind.unit, kind)
    (self.octets, self.coding) = (octets, coding)
  }

  /// What is no measurement.
  init(_ name: String, _ octets: Range<Int>, _ coding: Coding = .little, unit: String? = nil) {
    (self.name, self.unit, measurement) = (name, unit, nil)
    (self.octets, self.coding) = (octets, coding)
  }

  /// With changes.
  func with(_ change: (inout FixedField) -> Void) -> FixedField {
    var copy = self
    change(&copy)
    return copy
  }

  /// Of a text of one word for each number.
  func saying(_ words: [Int: String]) -> FixedField { with { $0.words = words } }

  /// Divided, and nothing where the number is one of `none`.
  func over(_ divisor: Int, none: Set<Int> = [], in range: ClosedRange<Double>? = nil) -> FixedField {
    with { ($0.divisor, $0.none, $0.range) = (divisor, none, range) }
  }

  /// Whole numbers in this range.
  func within(_ range: ClosedRange<Double>) -> FixedField { with { $0.range = range } }
}

extension FixedField {
  /// The value in the octets that are described; `none` where they have nothing to say, or are too few.
  func value(in all: ArraySlice<UInt8>) -> BeaconField.Value {
    let own = all.dropFirst(octets.lowerBound).prefix(octets.count)
    guard own.count == octets.count, !own.isEmpty else { return .none }
    switch coding {
    case .addressLittle: return BeaconReader.address(Array(own.reversed()))
    case .addressBig: return BeaconReader.address(Array(own))
    case .binary32:
      let number = Double(Float(bitPattern: UInt32(truncatingIfNeeded: BTHomeObject.number(own, isSigned: false))))
      return number.isFinite ? .number((number * 100).rounded() / 100) : .none
    case .tenthsAndDegrees:
      let (tenths, degrees) = (Int(own.first ?? 0) & 0x0F, Int(own.last ?? 0))
      guard tenths < 10 else { return .none }
      let size = Double((degrees & 0x7F) * 10 + tenths) / 10
      return .number(degrees & 0x80 != 0 || size == 0 ? size : -size)
    case .degreesAndHundredths:
      let (degrees, hundredths) = (Int(own.first ?? 0), Int(own.last ?? 0))
      guard hundredths < 100 else { return .none }
      let size = Double((degrees & 0x7F) * 100 + hundredths) / 100
      return .number(degrees & 0x80 == 0 || size == 0 ? size : -size)
    case .little, .big, .signedLittle, .signedBig, .magnitudeBig: return number(own)
    }
  }

  private func number(_ own: ArraySlice<UInt8>) -> BeaconField.Value {
    let isBig =
      switch coding {
      case .big, .signedBig, .magnitudeBig: true
      default: false
      }
    var raw = isBig ? BeaconReader.number(own) : BTHomeObject.number(own, isSigned: false)
    var width = min(own.count, 4) * 8
    if let bits {
      raw = (raw >> bits.lowerBound) & ((1 << bits.count) - 1)
      width = bits.count
    }
    if none.contains(raw) { return .none }
    if !words.isEmpty { return words[raw].map { .text($0) } ?? .none }
    var isBelow = false
    switch coding {
    case .signedLittle, .signedBig: if raw >> (width - 1) == 1 { raw -= 1 << width }
    case .magnitudeBig:
      isBelow = raw >> (width - 1) == 1
      raw &= (1 << (width - 1)) - 1
    default: break
    }
    raw /= quotient
    if let remainder { raw %= remainder }
    let number = (isBelow ? -raw : raw) * factor + offset
    return divisor == 1 ? .integer(number) : .number(Double(number) / Double(divisor))
  }

  /// Whether the value, where there is one, is one that can be measured.
  func isPossible(in all: ArraySlice<UInt8>) -> Bool {
    guard let range else { return true }
    switch value(in: all) {
    case .number(let number): return range.contains(number)
    case .integer(let number): return range.contains(Double(number))
    case .text, .none: return true
    }
  }
}
