/// A number as a mantissa and a power of ten, written exactly: `365` and `-1` are `36.5`.
package struct DecimalText: Equatable, Sendable, CustomStringConvertible {
  package let mantissa: Int64
  package let exponent: Int

  package init(_ mantissa: Int64, exponent: Int) {
    self.mantissa = mantissa
    self.exponent = exponent
  }

  package var description: String {
    let digits = String(mantissa.magnitude)
    let sign = mantissa < 0 ? "-" : ""
    switch exponent {
    case 0: return sign + digits
    case 1...12: return sign + (mantissa == 0 ? "0" : digits + String(repeating: "0", count: exponent))
    case -12 ... -1:
      let padded = String(repeating: "0", count: max(0, 1 - exponent - digits.count)) + digits
      return "\(sign)\(padded.dropLast(-exponent)).\(padded.suffix(-exponent))"
    default: return "\(sign)\(digits)e\(exponent)"
    }
  }
}

extension Double {
  /// Without decimals where there are none.
  package var plain: String { self == rounded() && magnitude < 1e15 ? String(Int(self)) : String(self) }
}
