/// Parses JSON (RFC 8259) with the positions of all values.
package struct PositionedJSONReader {
  private var rest: Substring.UnicodeScalarView
  private var position = TextPosition()
  private var depth = 0
  private static let numberScalars = Set("+-.eE0123456789".unicodeScalars)

  /// The maximum nesting: deeper than any profile, and far from exhausting the stack.
  private static let deepest = 64

  /// Reads a whole text.
  package static func read(_ text: String) throws(PositionedError) -> PositionedJSON {
    var reader = PositionedJSONReader(rest: text[...].unicodeScalars)
    if reader.next == "\u{FEFF}" { reader.rest.removeFirst() }
    reader.skipBlanks()
    let value = try reader.value()
    reader.skipBlanks()
    guard reader.next == nil else { throw reader.expected("the end of the file") }
    return value
  }

  /// Reads the octets of a whole file.
  package static func read(octets: some Sequence<UInt8>) throws(PositionedError) -> PositionedJSON {
    if let text = String(validating: octets, as: UTF8.self) { return try read(text) }
    var reader = PositionedJSONReader(rest: ""[...].unicodeScalars)
    // Decoding stops in front of the first octet that is not UTF-8.
    var (codec, rest) = (UTF8(), octets.makeIterator())
    while case .scalarValue(let scalar) = codec.decode(&rest) { reader.pass(scalar) }
    throw PositionedError(reader.position, "expected UTF-8")
  }

  private init(rest: Substring.UnicodeScalarView) { self.rest = rest }

  private var next: Unicode.Scalar? { rest.first }

  private mutating func advance() {
    if let scalar = rest.popFirst() { pass(scalar) }
  }

  private mutating func pass(_ scalar: Unicode.Scalar) {
    if scalar == "\n" {
      position = TextPosition(line: position.line + 1, column: 1)
    } else {
      position.column += 1
    }
  }

  private mutating func skipBlanks() {
    while let next, next == " " || next == "\n" || next == "\r" || next == "\t" { advance() }
  }

  private func expected(_ what: String) -> PositionedError {
    let found = next.map { "'\(String($0).inert)'" } ?? "the end of the file"
    return PositionedError(position, "expected \(what), found \(found)")
  }

  private mutating func value() throws(PositionedError) -> PositionedJSON {
    let start = position
    let content: PositionedJSON.Content
    switch next {
    case "{": content = .object(try object())
    case "[": content = .array(try array())
    case "\"": content = .string(try string())
    case "-", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9": content = .number(try number())
    case "t": content = try word("true", .bool(true))
    case "f": content = try word("false", .bool(false))
    case "n": content = try word("null", .null)
    default: throw expected("a value")
    }
    return PositionedJSON(content: content, position: start)
  }

  private mutating func enter() throws(PositionedError) {
    depth += 1
    if depth > Self.deepest { throw PositionedError(position, "more than \(Self.deepest) levels of nesting") }
    advance()
    skipBlanks()
  }

  private mutating func object() throws(PositionedError) -> [PositionedJSON.Member] {
    try enter()
    defer { depth -= 1 }
    var members: [PositionedJSON.Member] = []
    var keys: Set<String> = []
    if next == "}" {
      advance()
      return members
    }
    while true {
      let start = position
      guard next == "\"" else { throw expected("a member's name in quotes") }
      let key = try string()
      guard keys.insert(key).inserted else { throw PositionedError(start, "\"\(key.inert)\" appears twice") }
      skipBlanks()
      guard next == ":" else { throw expected("':' after \"\(key.inert)\"") }
      advance()
      skipBlanks()
      members.append(PositionedJSON.Member(key: key, position: start, value: try value()))
      skipBlanks()
      if next == "}" { break }
      guard next == "," else { throw expected("',' or '}'") }
      advance()
      skipBlanks()
    }
    advance()
    return members
  }

  private mutating func array() throws(PositionedError) -> [PositionedJSON] {
    try enter()
    defer { depth -= 1 }
    var elements: [PositionedJSON] = []
    if next == "]" {
      advance()
      return elements
    }
    while true {
      elements.append(try value())
      skipBlanks()
      if next == "]" { break }
      guard next == "," else { throw expected("',' or ']'") }
      advance()
      skipBlanks()
    }
    advance()
    return elements
  }

  private mutating func word(
    _ word: String, _ content: PositionedJSON.Content
  ) throws(PositionedError) -> PositionedJSON.Content {
    for scalar in word.unicodeScalars {
      guard next == scalar else { throw expected(word) }
      advance()
    }
    return content
  }

  private mutating func number() throws(PositionedError) -> Double {
    let start = position
    var text = ""
    while let scalar = next, Self.numberScalars.contains(scalar) {
      text.unicodeScalars.append(scalar)
      advance()
    }
    guard Self.isNumber(text), let number = Double(text), number.isFinite else {
      throw PositionedError(start, "expected a number, found '\(text)'")
    }
    return number
  }

  /// The grammar of RFC 8259, which is stricter than Swift's: `-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?`.
  private static func isNumber(_ text: String) -> Bool {
    var rest = text.utf8[...]
    func digits() -> Int {
      let count = rest.prefix { (0x30...0x39).contains($0) }.count
      rest = rest.dropFirst(count)
      return count
    }
    func take(_ letters: String) -> Bool {
      guard let first = rest.first, letters.utf8.contains(first) else { return false }
      rest = rest.dropFirst()
      return true
    }
    _ = take("-")
    let beginsWithZero = rest.first == 0x30
    let whole = digits()
    guard whole == 1 || whole > 1 && !beginsWithZero else { return false }
    if take("."), digits() == 0 { return false }
    if take("eE") {
      _ = take("+-")
      if digits() == 0 { return false }
    }
    return rest.isEmpty
  }

  private mutating func string() throws(PositionedError) -> String {
    let start = position
    advance()
    var text = ""
    while let scalar = next {
      switch scalar {
      case "\"":
        advance()
        return text
      case "\\": text.unicodeScalars.append(try escape())
      case "\u{00}"..."\u{1F}": throw expected("the end of the string that begins in line \(start.line)")
      default:
        text.unicodeScalars.append(scalar)
        advance()
      }
    }
    throw PositionedError(start, "this string is not terminated")
  }

  private mutating func escape() throws(PositionedError) -> Unicode.Scalar {
    let start = position
    advance()
    guard let letter = next else { throw expected("an escape") }
    advance()
    switch letter {
    case "\"", "\\", "/": return letter
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "b": return "\u{08}"
    case "f": return "\u{0C}"
    case "u": return try unicodeEscape(start)
    default: throw PositionedError(start, "'\\\(String(letter).inert)' is not an escape of JSON")
    }
  }

  /// Reads the digits after `\u`: four, or a surrogate pair for a scalar beyond 16 bits.
  private mutating func unicodeEscape(_ start: TextPosition) throws(PositionedError) -> Unicode.Scalar {
    let first = try fourDigits()
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard (0xD800...0xDBFF).contains(first), next == "\\" else {
      throw PositionedError(start, "half of a surrogate pair")
    }
    advance()
    guard next == "u" else { throw expected("the second half of a surrogate pair") }
    advance()
    let second = try fourDigits()
    guard (0xDC00...0xDFFF).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else { throw PositionedError(start, "half of a surrogate pair") }
    return scalar
  }

  private mutating func fourDigits() throws(PositionedError) -> UInt32 {
    var number: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = next.flatMap({ UInt32(String($0), radix: 16) }) else {
        throw expected("four hexadecimal digits")
      }
      number = number << 4 | digit
      advance()
    }
    return number
  }
}
