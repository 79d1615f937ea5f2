import BLECore

/// A value at a fixed place of octets that are as long as their description says: of a maker's advertisement, or of one of its objects.
struct FixedField: Sendable {
  /// How the octets become a number.
  enum Coding: Sendable {
    /// The least significant octet first, or last; at most seven.
    case little, big
    /// The same in two's complement.
    case signedLittle, signedBig
    /// The most significant bit says that the rest is below zero.
    case magnitudeBig
    /// A number of 32 bits with a binary point (IEEE 754), the least significant octet first, or last.
    case binary32, binary32Big
    /// Two octets: tenths in the low four bits of the first; in the second whole degrees, with the highest bit set at zero and above.
    case tenthsAndDegrees
    /// Two octets: whole degrees, with the highest bit set below zero, and hundredths.
    case degreesAndHundredths
    /// Two octets: whole degrees in two's complement, and hundredths that are further away from zero.
    case signedDegreesAndHundredths
    /// Two octets, which become seconds.
    case minutesAndSeconds
    /// A text of printable ASCII characters. What is behind it is zero.
    case ascii
    /// A number in decimal digits, with a point and with spaces in front.
    case decimalText
    /// Six octets, the last of an address first, or the first one first.
    case addressLittle, addressBig
  }

  /// The number in the same octets by which this one is divided.
  struct Divisor: Sendable {
    let octets: Range<Int>
    let bits: Range<Int>
    /// What nought stands for.
    let zero: Int
  }

  let name: String
  let unit: String?
  /// `nil` for what is no measurement.
  let measurement: MeasurementKind?
  let octets: Range<Int>
  let coding: Coding
  /// Which of the number's bits are the value's, from the least significant one; `nil`: all of them.
  var bits: Range<Int>?
  /// Where the least significant bit stands that these octets do not have: the octet, and the bit in it.
  var lowest: (place: Int, bit: Int)?
  /// What has to be so for the octets to have a value.
  var conditions: [OctetBits] = []
  /// What the number means without a unit: other numbers mean nothing.
  var words: [Int: String] = [:]
  /// Which number it stands for: other numbers mean nothing.
  var table: [Int: Int] = [:]
  /// Numbers, without regard to their sign, that say that nothing was measured.
  var none: Set<Int> = []
  /// Bits of the number of which each says that nothing was measured.
  var absent = 0
  /// The number is divided by it, and the rest is dropped: two numbers can be packed in one.
  var quotient = 1
  /// The rest of the division by it is taken.
  var remainder: Int?
  /// The value is (number * factor + offset) / divisor.
  var factor = 1
  var offset = 0
  var divisor = 1
  var dividedBy: Divisor?
  /// Decimal places; `nil`: as many as there are, and two of a number with a binary point.
  var decimals: Int?
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
}
