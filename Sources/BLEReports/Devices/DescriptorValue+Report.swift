import BLESession
import Foundation

extension DescriptorValue {
  /// Text is a string, a number a number; anything else octets.
  package var json: JSONValue {
    switch self {
    case .text(let text): .string(text)
    case .number(let number): .integer(number)
    case .octets(let octets): ValueText(Array(octets)).json
    }
  }
}
