import BLECore

/// How the value of an attribute is shown.
struct ValueText: Equatable, Sendable {
  let octets: [UInt8]

  init(_ octets: [UInt8]) { self.octets = octets }

  var hexadecimal: String { octets.hexadecimal }

  /// The value as text, where it is UTF-8 that has something to show and nothing hidden in it.
  var readableText: String? {
    guard let text = utf8, !text.isEmpty, text.isInert || !text.unicodeScalars.contains(where: Self.isBinary) else {
      return nil
    }
    return text
  }

  private var utf8: String? { String(validating: octets, as: UTF8.self) }

  /// A line break or a tabulator belongs to a text; other control characters say that it is none.
  private static func isBinary(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "\n", "\r", "\t": false
    default: scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .unassigned
    }
  }

  /// For people: the octets, and the text they spell if they do.
  var description: String {
    if octets.isEmpty { return "(empty)" }
    let digits = octets.hexadecimal
    guard let readableText else { return digits }
    return "\"\(readableText.inert)\" (\(digits))"
  }

  /// `{"hex": ..., "utf8": ...}`; `utf8` is null where the octets are not UTF-8.
  var json: JSONValue {
    .object(["hex": .string(octets.hexadecimal), "utf8": .string(orNull: utf8)])
  }
}
