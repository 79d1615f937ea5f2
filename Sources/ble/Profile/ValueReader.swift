import BLECore

/// Reads values of attributes: `{"utf8": "text"}`, `{"hex": "01FF"}` or `{"uint8": 100}`.
enum ValueReader {
  static func template(_ json: PositionedJSON) throws(PositionedError) -> ValueTemplate {
    guard case .object(let members) = json.content, members.count == 1, let member = members.first else {
      throw PositionedError(
        json.position, "expected a value such as {\"utf8\": \"text\"} or {\"hex\": \"01FF\"}, found \(json.kind)")
    }
    switch member.key {
    case "utf8": return .text(try member.value.text(longest: ValueEncoding.longest, "a value"))
    case "hex":
      let text = try member.value.text(longest: 4 * ValueEncoding.longest, "a value")
      do {
        return .octets(try ValueEncoding.hex.octets(of: text))
      } catch {
        throw PositionedError(member.value.position, error.reason)
      }
    case "uint8":
      guard case .number(let number) = member.value.content, let octet = UInt8(exactly: number) else {
        throw PositionedError(member.value.position, "expected a whole number of 0 to 255")
      }
      return .octets([octet])
    default:
      let suggestion = Suggestion.sentence(for: member.key, among: ["utf8", "hex", "uint8"])
      throw PositionedError(
        member.position, "\"\(member.key.inert)\" is no kind of value: expected utf8, hex or uint8\(suggestion)")
    }
  }
}

extension PositionedJSON {
  func expected(_ what: String) -> PositionedError { PositionedError(position, "expected \(what), found \(kind)") }

  func text(longest: Int, _ what: String) throws(PositionedError) -> String {
    guard case .string(let text) = content else { throw expected("a string") }
    guard text.utf8.count <= longest else {
      throw PositionedError(position, "\(what) has at most \(longest) octets, not \(text.utf8.count)")
    }
    return text
  }

  func truth() throws(PositionedError) -> Bool {
    guard case .bool(let value) = content else { throw expected("true or false") }
    return value
  }

  /// An interval: a hundredth of a second to a day.
  func seconds() throws(PositionedError) -> Double {
    guard case .number(let value) = content else { throw expected("a number of seconds") }
    guard (0.01...86_400).contains(value) else {
      throw PositionedError(position, "expected 0.01 to 86400 seconds")
    }
    return value
  }

  static func uuid(_ json: PositionedJSON) throws(PositionedError) -> BLEUUID { try json.uuid() }

  func uuid() throws(PositionedError) -> BLEUUID {
    guard case .string(let text) = content else { throw expected("a UUID as a string") }
    guard let uuid = BLEUUID(text) else {
      throw PositionedError(
        position, "'\(text.inert)' is no UUID: expected 4, 8 or 36 hexadecimal characters such as 180F")
    }
    return uuid
  }

  /// Entries that are each understood by `read`.
  func list<Element>(
    _ what: String, _ counts: ClosedRange<Int>, of read: (PositionedJSON) throws(PositionedError) -> Element
  ) throws(PositionedError) -> [Element] {
    guard case .array(let entries) = content else { throw expected(what) }
    guard counts.contains(entries.count) else {
      throw PositionedError(
        position, "expected \(what) with \(counts.lowerBound) to \(counts.upperBound) entries, found \(entries.count)")
    }
    var result: [Element] = []
    for entry in entries { result.append(try read(entry)) }
    return result
  }

  /// One of a set of words.
  func word<Word: RawRepresentable & CaseIterable>(_ what: String) throws(PositionedError) -> Word
  where Word.RawValue == String {
    let words = Word.allCases.map(\.rawValue)
    guard case .string(let text) = content else { throw expected("\(what): \(words.joined(separator: ", "))") }
    guard let word = Word(rawValue: text) else {
      let suggestion = Suggestion.sentence(for: text, among: words)
      let choices = words.joined(separator: ", ")
      throw PositionedError(position, "'\(text.inert)' is not \(what): expected \(choices)\(suggestion)")
    }
    return word
  }

  func words<Word: RawRepresentable & CaseIterable & Hashable>(
    _ what: String, atLeast least: Int
  ) throws(PositionedError) -> Set<Word> where Word.RawValue == String {
    var result: Set<Word> = []
    _ = try list("a list of words", least...Word.allCases.count) { (entry) throws(PositionedError) in
      guard result.insert(try entry.word(what)).inserted else {
        throw PositionedError(entry.position, "this is there twice")
      }
    }
    return result
  }
}
