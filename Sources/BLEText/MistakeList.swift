/// The mistakes found in a file. Reading continues after each, so that one pass finds all of them.
package final class MistakeList {
  private var found: [PositionedError] = []
  /// The members that objects lack, by the object's position: one mistake names all of them.
  private var missing: [TextPosition: (index: Int, keys: [String])] = [:]
  /// A reader of the messages has no use for more.
  private static let limit = 50

  /// An empty list.
  package init() {}

  /// In the order of the file.
  package var all: [PositionedError] { found.sorted { $0.position < $1.position } }

  /// How many there are.
  package var count: Int { found.count }

  /// Records one mistake for each position: others there are consequences of it.
  package func note(_ error: PositionedError) {
    guard found.count < Self.limit, !found.contains(where: { $0.position == error.position }) else { return }
    found.append(error)
  }

  /// Records a member that an object lacks. An object is one mistake, whose message names all that it lacks.
  func note(missing key: String, of what: String, at position: TextPosition) {
    let keys = (missing[position]?.keys ?? []) + [key]
    let error = PositionedError(position, "\(what) needs \(keys.map { "\"\($0)\"" }.joined(separator: " and "))")
    if let known = missing[position] {
      found[known.index] = error
      missing[position] = (known.index, keys)
    } else {
      let index = found.count
      note(error)
      if found.count > index { missing[position] = (index, keys) }
    }
  }

  /// The result of `read`; if it throws, records the mistake and returns `nil`.
  package func attempt<Value>(_ read: () throws(PositionedError) -> Value) -> Value? {
    do throws(PositionedError) {
      return try read()
    } catch {
      note(error)
      return nil
    }
  }
}

/// One object of the file, whose members are read one by one. Mistakes are recorded, and reading continues.
package struct FileObject {
  private var reader: ObjectReader
  private let mistakes: MistakeList
  private let what: String
  /// The object itself.
  package let json: PositionedJSON

  /// Records a mistake and returns `nil` if `json` is not an object; `what` names it in messages.
  package init?(_ json: PositionedJSON, _ what: String, _ mistakes: MistakeList) {
    guard let reader = mistakes.attempt({ () throws(PositionedError) in try ObjectReader(json, what) }) else {
      return nil
    }
    self.reader = reader
    self.mistakes = mistakes
    self.what = what
    self.json = json
  }

  /// The member, if it exists and is valid.
  package mutating func optional<Value>(
    _ key: String, _ read: (PositionedJSON) throws(PositionedError) -> Value?
  ) -> Value? {
    mistakes.attempt { () throws(PositionedError) in try reader.optional(key).flatMap(read) } ?? nil
  }

  /// The member, if it is valid; records a mistake if it does not exist.
  package mutating func required<Value>(
    _ key: String, _ read: (PositionedJSON) throws(PositionedError) -> Value?
  ) -> Value? {
    if reader.lacks(key) {
      mistakes.note(missing: key, of: what, at: json.position)
      return nil
    }
    return mistakes.attempt { () throws(PositionedError) in try read(try reader.required(key)) } ?? nil
  }

  /// The member, if it exists.
  package mutating func member(_ key: String) -> PositionedJSON? { optional(key) { $0 } }

  /// Records a mistake for each member that was not read.
  package func finish() {
    for error in reader.unreadMembers { mistakes.note(error) }
  }
}
