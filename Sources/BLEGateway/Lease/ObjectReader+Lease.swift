import BLEText

extension ObjectReader {
  /// The member, unless it is missing or `null`.
  mutating func value(_ key: String) throws(PositionedError) -> PositionedJSON? {
    guard let json = try optional(key), json.content != .null else { return nil }
    return json
  }

  /// A number of `range`.
  mutating func number(_ key: String, _ range: ClosedRange<Double>) throws(PositionedError) -> Double {
    let json = try required(key)
    guard case .number(let number) = json.content, range.contains(number) else {
      throw PositionedError(
        json.position, "expected for \"\(key)\" a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// A whole number of `range`, which has numbers that are exact as a `Double` only.
  mutating func integer(_ key: String, _ range: ClosedRange<Int>) throws(PositionedError) -> Int {
    let json = try required(key)
    guard case .number(let number) = json.content, let whole = Int(exactly: number), range.contains(whole) else {
      throw PositionedError(
        json.position, "expected for \"\(key)\" a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return whole
  }

  /// The strength in dBm; `nil` where it is missing or `null`.
  mutating func strength() throws(PositionedError) -> Double? {
    try value("strength") == nil ? nil : try number("strength", -127...20)
  }

  /// A gateway and its instance.
  mutating func instance(_ gateway: String, _ instance: String) throws(PositionedError) -> GatewayInstance {
    let (name, word) = (try required(gateway), try required(instance))
    guard case .string(let first) = name.content, case .string(let second) = word.content,
      let read = GatewayInstance(gateway: first, instance: second)
    else {
      throw PositionedError(
        name.position, "expected a gateway and its instance: 1 to 64 letters, digits, -, _, . and :")
    }
    return read
  }
}
