/// Texts in Home Assistant's templates, which are Jinja's: no text becomes a part of the language.
enum HomeAssistantTemplate {
  /// A text in an expression, `'bolt'`. What is not plain is `\u007b`, which Jinja reads as Python does.
  static func literal(_ text: String) -> String {
    "'" + text.unicodeScalars.map { isPlain($0) ? String($0) : "\\U" + digits($0.value, 8) }.joined() + "'"
  }

  /// A string of JSON outside of expressions, `"unlock"`. Braces are escaped as JSON has it, so that none begins an expression.
  static func json(_ text: String) -> String {
    let escaped = text.utf16.map { unit in
      if let scalar = Unicode.Scalar(unit), isPlain(scalar) { return String(scalar) }
      return "\\u" + digits(UInt32(unit), 4)
    }
    return "\"" + escaped.joined() + "\""
  }

  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isASCII
      && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || "-_.".unicodeScalars.contains(scalar))
  }

  private static func digits(_ number: UInt32, _ width: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
