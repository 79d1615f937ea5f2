import BLECore

/// How a value is written on the command line.
enum ValueEncoding: String, CaseIterable, ArgumentValue, Sendable {
  case utf8, hex

  init(argument: String) throws(ArgumentValueError) {
    guard let encoding = Self(rawValue: argument) else {
      throw ArgumentValueError("expected \(Self.allCases.map(\.rawValue).joined(separator: " or "))")
    }
    self = encoding
  }

  /// The octets that `text` stands for. Hexadecimal digits may be separated by blanks, colons or dashes and begin with `0x`.
  func octets(of text: String) throws(ArgumentValueError) -> [UInt8] {
    let octets: [UInt8]
    switch self {
    case .utf8: octets = Array(text.utf8)
    case .hex:
      let digits = text.hasPrefix("0x") || text.hasPrefix("0X") ? String(text.dropFirst(2)) : text
      guard let read = [UInt8](hexadecimal: digits.filter { !" :-".contains($0) }) else {
        throw ArgumentValueError("expected pairs of hexadecimal digits such as 01FF or 01:FF")
      }
      octets = read
    }
    guard octets.count <= Self.longest else {
      throw ArgumentValueError("a value has at most \(Self.longest) octets, not \(octets.count)")
    }
    return octets
  }

  /// The longest attribute value that there is (Core, Vol 3 Part F 3.2.9).
  static let longest = 512
}
