import BLECore

extension FixedField {
  /// The value in the octets that are described; `none` where they have nothing to say, or are too few.
  func value(in all: ArraySlice<UInt8>) -> BeaconField.Value {
    guard conditions.allSatisfy({ $0.fits(all) }) else { return .none }
    let own = all.dropFirst(octets.lowerBound).prefix(octets.count)
    guard own.count == octets.count, let first = own.first, let last = own.last else { return .none }
    switch coding {
    case .addressLittle: return BeaconReader.address(Array(own.reversed()))
    case .addressBig: return BeaconReader.address(Array(own))
    case .ascii: return Self.text(own).map { $0.isEmpty ? .none : .text($0) } ?? .none
    case .decimalText: return Self.decimal(own).map { .number($0) } ?? .none
    case .binary32, .binary32Big:
      let bits = coding == .binary32 ? Self.number(own.reversed()) : Self.number(own)
      let number = Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))) / Double(divisor)
      return number.isFinite && number.magnitude < 1e12 ? .number(number.rounded(to: decimals ?? 2)) : .none
    case .tenthsAndDegrees:
      let (tenths, degrees) = (Int(first) & 0x0F, Int(last))
      guard tenths < 10 else { return .none }
      let size = Double((degrees & 0x7F) * 10 + tenths) / 10
      return .number(degrees & 0x80 != 0 || size == 0 ? size : -size)
    case .degreesAndHundredths:
      let (degrees, hundredths) = (Int(first), Int(last))
      guard hundredths < 100 else { return .none }
      let size = Double((degrees & 0x7F) * 100 + hundredths) / 100
      return .number(degrees & 0x80 == 0 || size == 0 ? size : -size)
    case .signedDegreesAndHundredths:
      let (degrees, hundredths) = (Int(Int8(bitPattern: first)), Int(last))
      guard hundredths < 100 else { return .none }
      return .number(Double(degrees * 100 + (degrees < 0 ? -hundredths : hundredths)) / 100)
    case .minutesAndSeconds: return last < 60 ? .integer(Int(first) * 60 + Int(last)) : .none
    case .little, .signedLittle: return number(Self.number(own.reversed()), in: all)
    case .big, .signedBig, .magnitudeBig: return number(Self.number(own), in: all)
    }
  }

  private func number(_ whole: Int, in all: ArraySlice<UInt8>) -> BeaconField.Value {
    var (raw, width) = (whole, min(octets.count, 7) * 8)
    if let bits {
      raw = (raw >> bits.lowerBound) & ((1 << bits.count) - 1)
      width = bits.count
    }
    if let lowest {
      guard let octet = all.dropFirst(lowest.place).first else { return .none }
      raw = raw << 1 | Int(octet >> lowest.bit & 1)
    }
    if none.contains(raw) || raw & absent != 0 { return .none }
    if !words.isEmpty { return words[raw].map { .text($0) } ?? .none }
    if !table.isEmpty { return table[raw].map { .integer($0) } ?? .none }
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
    return scaled(isBelow ? -raw : raw, in: all)
  }

  /// Numbers that no table of ours makes are no values: they would not fit.
  private func scaled(_ number: Int, in all: ArraySlice<UInt8>) -> BeaconField.Value {
    let (product, isTooLarge) = number.multipliedReportingOverflow(by: factor)
    let (sum, isTooLargeStill) = product.addingReportingOverflow(offset)
    guard !isTooLarge, !isTooLargeStill else { return .none }
    if divisor == 1, dividedBy == nil, decimals == nil { return .integer(sum) }
    var value = Double(sum) / Double(divisor)
    if let dividedBy {
      let own = all.dropFirst(dividedBy.octets.lowerBound).prefix(dividedBy.octets.count)
      guard own.count == dividedBy.octets.count else { return .none }
      let number = Self.number(own.reversed()) >> dividedBy.bits.lowerBound & ((1 << dividedBy.bits.count) - 1)
      value /= Double(number == 0 ? dividedBy.zero : number)
    }
    return value.isFinite ? .number(decimals.map { value.rounded(to: $0) } ?? value) : .none
  }

  /// Of at most seven octets, the most significant one first.
  private static func number(_ octets: some Sequence<UInt8>) -> Int {
    octets.prefix(7).reduce(0) { $0 << 8 | Int($1) }
  }

  /// `nil` for what is no text of printable characters with nothing but zeros behind it.
  private static func text(_ octets: ArraySlice<UInt8>) -> String? {
    let said = octets.prefix { $0 != 0 }
    guard said.allSatisfy({ 0x20...0x7E ~= $0 }), octets.dropFirst(said.count).allSatisfy({ $0 == 0 }) else {
      return nil
    }
    return String(decoding: said, as: UTF8.self)
  }

  private static func decimal(_ octets: ArraySlice<UInt8>) -> Double? {
    let digits = octets.drop { $0 == 0x20 }
    guard !digits.isEmpty, digits.allSatisfy({ 0x30...0x39 ~= $0 || $0 == 0x2E || $0 == 0x2D }) else { return nil }
    return Double(String(decoding: digits, as: UTF8.self))
  }

  /// Whether the value, where there is one, is one that can be measured, and a text is one.
  func isPossible(in all: ArraySlice<UInt8>) -> Bool {
    switch coding {
    case .ascii: return Self.text(all.dropFirst(octets.lowerBound).prefix(octets.count)) != nil
    case .decimalText where value(in: all) == .none: return false
    default: break
    }
    guard let range else { return true }
    switch value(in: all) {
    case .number(let number): return range.contains(number)
    case .integer(let number): return range.contains(Double(number))
    case .text, .none: return true
    }
  }
}

extension Double {
  /// At so many decimal places.
  fileprivate func rounded(to decimals: Int) -> Double {
    let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
    return (self * scale).rounded() / scale
  }
}
