import BLECore
import BLEText

/// The textual form of an attribute's value.
package struct ValueText: Equatable, Sendable {
  package let octets: [UInt8]

  package init(_ octets: [UInt8]) { self.octets = octets }

  package var hexadecimal: String { octets.hexadecimal }

  /// The value as text, if it is UTF-8 and printable.
  package var readableText: String? {
    guard let text = utf8, !text.isEmpty, text.isInert || !text.unicodeScalars.contains(where: Self.isBinary) else {
      return nil
    }
    return text
  }

  private var utf8: String? { String(validating: octets, as: UTF8.self) }

  /// Line breaks and tabs occur in text; other control characters mean that the value is binary.
  private static func isBinary(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "\n", "\r", "\t": false
    default: scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .unassigned
    }
  }

  /// For people: the octets, and the text if there is one.
  package var description: String {
    if octets.isEmpty { return "(empty)" }
    let digits = octets.hexadecimal
    guard let readableText else { return digits }
    return "\"\(readableText.inert)\" (\(digits))"
  }

  /// `{"hex": ..., "utf8": ...}`; `utf8` is null where the octets are not UTF-8.
  package var json: JSONValue {
    .object(["hex": .string(octets.hexadecimal), "utf8": .string(orNull: utf8)])
  }
}
