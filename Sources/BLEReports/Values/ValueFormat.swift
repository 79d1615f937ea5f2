import BLEProfileFiles
import BLEText
import Foundation

/// The format of a value on the command line and in output.
package enum ValueFormat: Equatable, Sendable {
  case hex, utf8, base64
  /// The octets unchanged: on output, and on input from the standard input.
  case raw
  case number(NumberFormat)

  /// For help, completion and messages.
  package static let names: [String] = {
    var names = ["hex", "utf8", "base64", "raw", "uint8", "int8"]
    for kind in ["uint", "int"] {
      for bits in stride(from: 16, through: 64, by: 8) { names += ["\(kind)\(bits)le", "\(kind)\(bits)be"] }
    }
    return names + ["float32le", "float32be", "float64le", "float64be", "sfloat", "float"]
  }()

  package static let help =
    "hex, utf8, base64, raw, integers such as uint8, int16le or uint24be (8 to 64 bits), float32le, float64be, sfloat and "
    + "float (IEEE 11073)"

  package init(argument: String) throws(ArgumentValueError) {
    switch argument {
    case "hex": self = .hex
    case "utf8": self = .utf8
    case "base64": self = .base64
    case "raw": self = .raw
    default:
      guard let format = NumberFormat(name: argument) else {
        throw ArgumentValueError("expected \(Self.help)\(Suggestion.sentence(for: argument, among: Self.names))")
      }
      self = .number(format)
    }
  }

  package static let longest = ValueReader.longest

  /// The octets of a typed value. Hexadecimal digits may be separated by blanks, colons or dashes and begin with `0x`; several numbers are
  /// separated by commas or blanks.
  /// - Parameter longest: the most octets; those of an attribute's value, unless a channel is to carry them.
  package func octets(of text: String, atMost longest: Int = Self.longest) throws(ArgumentValueError) -> [UInt8] {
    let octets: [UInt8]
    switch self {
    case .utf8, .raw: octets = Array(text.utf8)
    case .hex:
      guard let read = ValueReader.octets(hexadecimal: text) else {
        throw ArgumentValueError("expected pairs of hexadecimal digits such as 01FF or 01:FF")
      }
      octets = read
    case .base64:
      guard let data = Data(base64Encoded: text) else { throw ArgumentValueError("expected Base64, such as T3dlbmxp") }
      octets = Array(data)
    case .number(let format):
      var numbers: [UInt8] = []
      for word in text.split(whereSeparator: { ", \t\n".contains($0) }) {
        numbers += try format.octets(of: word)
        if numbers.count > longest { break }
      }
      if numbers.isEmpty { throw ArgumentValueError("expected a number, or several with commas between them") }
      octets = numbers
    }
    guard octets.count <= longest else {
      throw ArgumentValueError("a value has at most \(longest) octets, not \(octets.count)")
    }
    return octets
  }
}
