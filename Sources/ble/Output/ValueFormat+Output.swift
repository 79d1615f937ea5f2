import BLECore
import Foundation

extension ValueFormat {
  /// The value in this format; `nil` for `raw`, which is not printable.
  func text(of octets: [UInt8]) throws(ToolError) -> String? {
    switch self {
    case .hex: return octets.hexadecimal
    case .base64: return Data(octets).base64EncodedString()
    case .raw: return nil
    case .utf8:
      guard let text = String(validating: octets, as: UTF8.self) else {
        throw ToolError(.failed, "The value is not UTF-8: \(octets.hexadecimal)")
      }
      return text.inert
    case .number(let format):
      guard let numbers = format.numbers(in: octets) else {
        let length = octets.isEmpty ? "is empty" : "has \(octets.count) octets (\(octets.hexadecimal))"
        throw ToolError(.failed, "The value \(length): that is not a multiple of \(format.width) octets.")
      }
      return numbers.map(\.description).joined(separator: " ")
    }
  }

  @MainActor func print(_ octets: [UInt8], to output: Output) throws(ToolError) {
    guard let text = try text(of: octets) else { return output.raw(octets) }
    output.line(text)
  }
}
