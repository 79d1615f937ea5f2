/// What the configuration file says: a JSON object whose members are all texts.
///
///     { "adapter": "tcp-client:127.0.0.1:6402" }
struct ConfigurationFile: Equatable {
  /// The name of the adapter; `nil` where the file names none.
  var adapter: String?

  /// A mistake, with the place where it is.
  struct Mistake: Error, Equatable, CustomStringConvertible {
    let path: String
    let line: Int
    let reason: String
    var description: String { "\(path):\(line): \(reason)" }
  }

  private static let members = ["adapter"]

  init() {}

  init(_ octets: [UInt8], path: String) throws(Mistake) {
    var parser = Parser(octets: octets, path: path)
    try parser.object { (name, value, parser) throws(Mistake) in
      guard Self.members.contains(name) else {
        throw parser.mistake("'\(name)' is no setting: \(Self.members.joined(separator: ", "))")
      }
      if adapter != nil { throw parser.mistake("'\(name)' is there twice") }
      adapter = value
    }
  }

  /// Reads one JSON object of texts, counting lines.
  private struct Parser {
    let octets: [UInt8]
    let path: String
    var cursor = 0
    var line = 1

    init(octets: [UInt8], path: String) {
      self.octets = octets
      self.path = path
    }

    func mistake(_ reason: String) -> Mistake { Mistake(path: path, line: line, reason: reason) }

    mutating func object(
      _ member: (String, String, Parser) throws(Mistake) -> Void
    ) throws(Mistake) {
      try expect("{")
      if take("}") { return try end() }
      repeat {
        let name = try text("the name of a setting in double quotes")
        try expect(":")
        let value = try text("a text in double quotes for '\(name)'")
        try member(name, value, self)
      } while take(",")
      try expect("}")
      try end()
    }

    private mutating func end() throws(Mistake) {
      skipBlanks()
      if cursor < octets.count { throw mistake("nothing may follow the closing brace") }
    }

    private mutating func skipBlanks() {
      while cursor < octets.count {
        switch octets[cursor] {
        case 0x0A: line += 1
        case 0x20, 0x09, 0x0D: break
        default: return
        }
        cursor += 1
      }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
      skipBlanks()
      guard cursor < octets.count, UInt32(octets[cursor]) == character.value else { return false }
      cursor += 1
      return true
    }

    private mutating func expect(_ character: Unicode.Scalar) throws(Mistake) {
      if !take(character) { throw mistake("expected '\(character)'\(found)") }
    }

    private var found: String {
      guard cursor < octets.count else { return ", but the file ends" }
      let octet = octets[cursor]
      return octet > 0x20 && octet < 0x7F ? ", found '\(Unicode.Scalar(octet))'" : ""
    }

    private mutating func text(_ expected: String) throws(Mistake) -> String {
      if !take("\"") { throw mistake("expected \(expected)\(found)") }
      var content: [UInt8] = []
      while cursor < octets.count, octets[cursor] != 0x22 {
        var octet = octets[cursor]
        if octet < 0x20 { throw mistake("a text must end on its line") }
        if octet == 0x5C {
          cursor += 1
          guard cursor < octets.count else { break }
          octet = octets[cursor]
          // Names of adapters need no other escapes.
          if octet != 0x22 && octet != 0x5C && octet != 0x2F { throw mistake("only \\\", \\\\ and \\/ are understood") }
        }
        content.append(octet)
        cursor += 1
      }
      guard cursor < octets.count else { throw mistake("a text is not closed") }
      cursor += 1
      return String(decoding: content, as: UTF8.self)
    }
  }
}
