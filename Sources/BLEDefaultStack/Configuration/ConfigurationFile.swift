import BLEFiles

/// The configuration file: a JSON object whose values are strings.
///
///     { "adapter": "tcp-client:127.0.0.1:6402" }
struct ConfigurationFile: Equatable {
  /// One setting.
  private struct Member: Equatable {
    let name: String
    var value: String
  }

  private var members: [Member] = []

  /// An error, with its position.
  struct Mistake: Error, Equatable, CustomStringConvertible {
    let path: String
    /// `nil`: the file as a whole.
    let line: Int?
    let reason: String
    var description: String { "\(path):\(line.map { "\($0):" } ?? "") \(reason)" }
  }

  /// In octets. A configuration has a few lines.
  static let sizeLimit = 64 << 10

  private static let settings = ["adapter"]

  init() {}

  /// - Parameter keepsUnknown: whether unknown members are accepted, such as those of a later version when the file is changed.
  init(_ octets: [UInt8], path: String, keepsUnknown: Bool = false) throws(Mistake) {
    var parser = Parser(octets: octets, path: path)
    try parser.object { (name, value, parser) throws(Mistake) in
      guard keepsUnknown || Self.settings.contains(name) else {
        throw parser.mistake("'\(name)' is not a setting: \(Self.settings.joined(separator: ", "))")
      }
      if members.contains(where: { $0.name == name }) { throw parser.mistake("duplicate setting '\(name)'") }
      members.append(Member(name: name, value: value))
    }
  }

  /// The name of the adapter; `nil` if the file has none.
  var adapter: String? {
    get { members.first { $0.name == "adapter" }?.value }
    set {
      let place = members.firstIndex { $0.name == "adapter" }
      switch (newValue, place) {
      case (let value?, let place?): members[place].value = value
      case (let value?, nil): members.append(Member(name: "adapter", value: value))
      case (nil, let place?): members.remove(at: place)
      case (nil, nil): break
      }
    }
  }

  /// The contents of the file: a line for each member.
  var octets: [UInt8] {
    func quoted(_ text: String) -> String {
      "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
    let lines = members.map { "  \(quoted($0.name)): \(quoted($0.value))" }
    return Array((lines.isEmpty ? "{}\n" : "{\n\(lines.joined(separator: ",\n"))\n}\n").utf8)
  }

  /// Parses one JSON object of strings, counting lines.
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
