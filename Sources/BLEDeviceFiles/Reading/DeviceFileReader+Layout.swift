import BLESession
import BLEText
import Foundation

/// Lists of fields, in commands, answers and notifications.
extension DeviceFileReader {
  /// A list of fields.
  func parts(_ json: PositionedJSON) throws(PositionedError) -> [MessageLayout.Part] {
    let read = try json.list("a list of fields", 0...Self.mostFields) {
      (json) -> (PositionedJSON, MessageLayout.Part?) in
      (json, self.part(json))
    }
    var names: Set<String> = []
    var hasOpenEnd = false
    for (json, part) in read {
      guard case .field(let field)? = part else { continue }
      if !names.insert(field.name).inserted {
        mistakes.note(PositionedError(json.position, "there is a field \"\(field.name)\" already"))
      }
      if field.width == nil, hasOpenEnd {
        mistakes.note(
          PositionedError(
            json.position, "only one field may do without \"octets\": the end of a second one would be unknown"))
      }
      hasOpenEnd = hasOpenEnd || field.width == nil
    }
    return read.compactMap(\.1)
  }

  private enum KindWord: String, CaseIterable {
    case integer, text, hex
  }

  private func part(_ json: PositionedJSON) -> MessageLayout.Part? {
    guard var object = FileObject(json, "a field", mistakes) else { return nil }
    if let constant = object.member("constant") {
      object.finish()
      return mistakes.attempt { () throws(PositionedError) in .constant(try constant.octets(1...512, "octets")) }
    }
    let name = object.required("name", Self.name)
    let kindWord: KindWord? = object.optional("as") { (json) throws(PositionedError) in try json.word("a kind of field")
    }
    let summary = object.optional("description", Self.summary)
    let unit = object.optional("unit") { (json) throws(PositionedError) in try json.text(longest: 16, "a unit") }
    let standard = object.member("default")
    let kind = kind(kindWord ?? .integer, &object)
    object.finish()
    guard let name, let kind else { return nil }
    var field = DescribedField(name: name, kind: kind, standard: nil, unit: unit, summary: summary)
    field.standard = standard.flatMap { json in
      mistakes.attempt { () throws(PositionedError) in try json.value(for: field) }
    }
    return .field(field)
  }

  static func name(_ json: PositionedJSON) throws(PositionedError) -> String {
    let name = try json.text(longest: longestName, "a name")
    try checkName(name, json.position)
    return name
  }

  /// Checks a name, which is typed on command lines: letters, digits, `-`, `_` and `.`.
  static func checkName(_ name: String, _ position: TextPosition) throws(PositionedError) {
    let isPlain = name.allSatisfy { $0.isLetter || $0.isNumber || "-_.".contains($0) }
    guard isPlain, !name.isEmpty, name.utf8.count <= longestName, !name.hasPrefix("-") else {
      throw PositionedError(
        position,
        "\"\(String(name.prefix(80)).inert)\" is no name: expected 1 to \(longestName) letters, digits, '-', '_' or '.'"
      )
    }
  }

  private func kind(_ word: KindWord, _ object: inout FileObject) -> DescribedField.Kind? {
    switch word {
    case .integer: return integer(&object)
    case .text, .hex:
      let width = object.optional("octets") { (json) throws(PositionedError) in
        try json.integer(1...DescribedField.longest, "the width of a field")
      }
      return word == .text ? .text(width: width) : .octets(width: width)
    }
  }

  private func integer(_ object: inout FileObject) -> DescribedField.Kind? {
    let width = object.optional("octets") { (json) throws(PositionedError) in
      try json.integer(1...8, "the width of an integer")
    }
    let order: ByteOrder? = object.optional("order") { (json) throws(PositionedError) in try json.word("an order") }
    let isSigned = object.optional("signed") { (json) throws(PositionedError) in try json.boolean() } ?? false
    let range = object.member("range")
    let words = object.member("values")
    let octets = width ?? 1
    if octets == 8, !isSigned {
      mistakes.note(PositionedError(object.json.position, "an integer of 8 octets has to be \"signed\""))
      return nil
    }
    let bits = octets * 8
    let whole = isSigned ? (-1 << (bits - 1))...(1 << (bits - 1) &- 1) : 0...(1 << bits - 1)
    let limits = range.flatMap { json in
      mistakes.attempt { () throws(PositionedError) in try Self.range(json, within: whole) }
    }
    let named = words.flatMap { json in
      mistakes.attempt { () throws(PositionedError) in try Self.words(json, within: limits ?? whole) }
    }
    return .integer(
      width: octets, order: order ?? .littleEndian, isSigned: isSigned, range: limits ?? whole, words: named ?? [])
  }

  private static func range(
    _ json: PositionedJSON, within whole: ClosedRange<Int>
  ) throws(PositionedError) -> ClosedRange<Int> {
    let ends = try json.list("a list of the least and the greatest number", 2...2) { (json) throws(PositionedError) in
      try json.integer(whole, "a number that the field can hold")
    }
    guard ends[0] <= ends[1] else { throw PositionedError(json.position, "expected the least number first") }
    return ends[0]...ends[1]
  }

  private static func words(
    _ json: PositionedJSON, within range: ClosedRange<Int>
  ) throws(PositionedError) -> [DescribedField.Word] {
    var words: [DescribedField.Word] = []
    for member in try json.table("names of numbers", most: 256) {
      try checkName(member.key, member.position)
      let number = try member.value.integer(range, "a number that the field can hold")
      words.append(DescribedField.Word(text: member.key, number: number))
    }
    return words
  }
}
