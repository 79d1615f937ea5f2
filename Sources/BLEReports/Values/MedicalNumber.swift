import Foundation

/// A number of ISO/IEEE 11073-20601, 2.2: a signed mantissa and a signed power of ten. A short one (SFLOAT) has 12 bits and 4 bits,
/// the other kind (FLOAT) 24 and 8.
package struct MedicalNumber: Equatable, Sendable, CustomStringConvertible {
  /// The bits as in the value.
  package let bits: UInt32
  package let isShort: Bool

  package init(bits: UInt32, isShort: Bool) {
    self.bits = bits
    self.isShort = isShort
  }

  /// The nearest representable number, with as few digits as possible.
  package init?(_ value: Double, isShort: Bool) {
    let special: UInt32? =
      value.isNaN ? Self.largest(isShort) + 2 : value.isInfinite ? Self.largest(isShort) + 1 : nil
    if let special {
      // Minus infinity is the fifth pattern after the largest mantissa.
      let bits = value == -.infinity ? Self.largest(isShort) + 5 : special
      self.init(bits: bits, isShort: isShort)
      return
    }
    let exponents = isShort ? -8...7 : -128...127
    // Begins with the smallest power: the first at which the mantissa fits is the most precise.
    for exponent in exponents {
      let scaled = (value / pow(10, Double(exponent))).rounded()
      guard scaled.magnitude <= Double(Self.largest(isShort)) else { continue }
      var (mantissa, power) = (Int32(scaled), exponent)
      if mantissa == 0, value != 0 { return nil }
      while mantissa != 0, mantissa.isMultiple(of: 10), power < exponents.upperBound {
        (mantissa, power) = (mantissa / 10, power + 1)
      }
      if mantissa == 0 { power = 0 }
      let width = isShort ? UInt32(12) : 24
      let low = UInt32(bitPattern: mantissa) & (1 << width - 1)
      let high = UInt32(bitPattern: Int32(power)) & (isShort ? 0xF : 0xFF)
      self.init(bits: high << width | low, isShort: isShort)
      return
    }
    return nil
  }

  /// The largest mantissa: the five patterns after it are special values.
  private static func largest(_ isShort: Bool) -> UInt32 { isShort ? 0x07FD : 0x007F_FFFD }

  private var pattern: UInt32 { bits & (isShort ? 0xFFF : 0xFF_FFFF) }
  private var mantissa: Int32 {
    isShort ? Int32(bitPattern: bits << 20) >> 20 : Int32(bitPattern: bits << 8) >> 8
  }
  private var exponent: Int {
    isShort ? Int(Int32(bitPattern: bits << 16) >> 28) : Int(Int8(truncatingIfNeeded: bits >> 24))
  }

  /// The name of a special value.
  private var special: String? {
    switch pattern &- Self.largest(isShort) {
    case 1: "infinity"
    case 2: "not a number"
    case 3: "not at this resolution"
    case 4: "reserved"
    case 5: "-infinity"
    default: nil
    }
  }

  /// `nil` for special values.
  package var value: Double? { special == nil ? Double(description) : nil }

  package var description: String { special ?? DecimalText(Int64(mantissa), exponent: exponent).description }
}
