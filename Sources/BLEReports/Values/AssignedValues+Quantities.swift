extension AssignedValues {
  /// A value that is one integer, with its multiplier and unit.
  package struct Quantity: Sendable {
    package let format: NumberFormat
    package let multiplier: Int64
    /// An additional power of ten.
    package let exponent: Int
    package let unit: String
    /// The value that means "not known".
    package var unknown: Int64?
    /// The largest valid value.
    package var largest: Int64?

    package init(
      _ kind: NumberFormat.Kind, _ width: Int, times multiplier: Int64 = 1, exponent: Int = 0, _ unit: String,
      unknown: Int64? = nil, largest: Int64? = nil
    ) {
      format = NumberFormat(kind, width: width)
      self.multiplier = multiplier
      self.exponent = exponent
      self.unit = unit
      self.unknown = unknown
      self.largest = largest
    }

    package func words(_ octets: [UInt8]) -> String? {
      var value = ValueFields(octets)
      guard octets.count == format.width, let number = value.number(format.kind, format.width) else { return nil }
      if number == unknown { return "not known" }
      if let largest, number > largest { return nil }
      let text = DecimalText(number * multiplier, exponent: exponent).description
      return unit.isEmpty ? text : "\(text) \(unit)"
    }
  }

  package static let quantities: [UInt16: Quantity] = [
    0x2A07: Quantity(.signed, 1, "dBm"),
    0x2A19: Quantity(.unsigned, 1, "%", largest: 100),
    0x2A1F: Quantity(.signed, 2, exponent: -1, "°C"),
    0x2A6C: Quantity(.signed, 3, exponent: -2, "m"),
    0x2A6D: Quantity(.unsigned, 4, exponent: -1, "Pa"),
    0x2A6E: Quantity(.signed, 2, exponent: -2, "°C", unknown: -0x8000),
    0x2A6F: Quantity(.unsigned, 2, exponent: -2, "%", unknown: 0xFFFF),
    0x2A70: Quantity(.unsigned, 2, exponent: -2, "m/s"),
    0x2A71: Quantity(.unsigned, 2, exponent: -2, "°"),
    0x2A72: Quantity(.unsigned, 2, exponent: -2, "m/s"),
    0x2A73: Quantity(.unsigned, 2, exponent: -2, "°"),
    0x2A76: Quantity(.unsigned, 1, ""),
    0x2A77: Quantity(.unsigned, 2, exponent: -1, "W/m²"),
    0x2A78: Quantity(.unsigned, 2, "mm"),
    0x2A79: Quantity(.signed, 1, "°C"),
    0x2A7A: Quantity(.signed, 1, "°C"),
    0x2A7B: Quantity(.signed, 1, "°C"),
    0x2A80: Quantity(.unsigned, 1, "years"),
    0x2A8D: Quantity(.unsigned, 1, "beats a minute"),
    0x2A8E: Quantity(.unsigned, 2, exponent: -2, "m"),
    0x2A98: Quantity(.unsigned, 2, times: 5, exponent: -3, "kg"),
    0x2AEE: Quantity(.unsigned, 2, exponent: -2, "A", unknown: 0xFFFF),
    0x2AFB: Quantity(.unsigned, 3, exponent: -2, "lx", unknown: 0xFF_FFFF),
    0x2B05: Quantity(.unsigned, 3, exponent: -1, "W", unknown: 0xFF_FFFF),
    0x2B18: Quantity(.unsigned, 2, times: 15625, exponent: -6, "V", unknown: 0xFFFF),
  ]
}
