import BLECore
import BLEText

// Values of faults in JSON.

extension PositionedJSON {
  func wholeNumber(_ range: ClosedRange<Int>, _ what: String) throws(PositionedError) -> Int {
    guard case .number(let value) = content else { throw expected(what) }
    guard let whole = Int(exactly: value), range.contains(whole) else {
      throw PositionedError(position, "expected \(what) from \(range.lowerBound) to \(range.upperBound)")
    }
    return whole
  }

  /// "0x0E", or 14.
  func octet(_ range: ClosedRange<UInt8>, _ what: String) throws(PositionedError) -> UInt8 {
    let number: UInt8?
    switch content {
    case .number(let value): number = UInt8(exactly: value)
    case .string(let text) where text.hasPrefix("0x"): number = UInt8(text.dropFirst(2), radix: 16)
    case .string: number = nil
    default: throw expected("\(what), such as \"0x0E\"")
    }
    guard let number, range.contains(number) else {
      throw PositionedError(
        position,
        "expected \(what) from \"\(numberText(range.lowerBound, digits: 2))\" to \"\(numberText(range.upperBound, digits: 2))\""
      )
    }
    return number
  }

  /// The octets of a packet in hexadecimal digits.
  func packet() throws(PositionedError) -> [UInt8] {
    let most = Fault.Limits.packet.upperBound
    let text = try text(longest: 2 * most, "a packet in hexadecimal digits")
    guard let octets = [UInt8](hexadecimal: text), !octets.isEmpty else {
      throw PositionedError(position, "expected a packet of 1 to \(most) octets, two hexadecimal digits each")
    }
    return octets
  }

  func serviceUUID() throws(PositionedError) -> BLEUUID {
    let text = try text(longest: 64, "a UUID")
    guard let uuid = BLEUUID(text) else {
      throw PositionedError(position, "expected a service's UUID of 4, 8 or 36 characters, found \"\(text.inert)\"")
    }
    return uuid
  }
}
