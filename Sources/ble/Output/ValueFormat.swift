import BLECore
import Foundation

/// How a value is printed where somebody asks for it in one form.
enum ValueFormat: String, CaseIterable, ArgumentValue, Sendable {
  case hex, utf8, raw

  init(argument: String) throws(ArgumentValueError) {
    guard let format = Self(rawValue: argument) else {
      throw ArgumentValueError("expected \(Self.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    self = format
  }

  @MainActor func print(_ octets: [UInt8], to output: Output) throws(ToolError) {
    switch self {
    case .hex: output.line(octets.hexadecimal)
    case .raw: output.raw(octets)
    case .utf8:
      guard let text = String(validating: octets, as: UTF8.self) else {
        throw ToolError(.failed, "The value is not UTF-8: \(octets.hexadecimal)")
      }
      output.line(text.inert)
    }
  }
}
