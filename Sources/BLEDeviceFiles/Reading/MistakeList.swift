import BLEText

/// The mistakes of a file as they are found: reading goes on behind each, so that one reading tells all of them.
final class MistakeList {
  private var found: [PositionedError] = []
  /// More would not be read by anybody.
  private static let limit = 50

  /// In the order of the file.
  var all: [PositionedError] { found.sorted { $0.position < $1.position } }

  var count: Int { found.count }

  /// One mistake for one place: what follows from it is left out.
  func note(_ error: PositionedError) {
    guard found.count < Self.limit, !found.contains(where: { $0.position == error.position }) else { return }
    found.append(error)
  }

  /// What `read` gives; `nil` and a note where it finds a mistake.
  func attempt<Value>(_ read: () throws(PositionedError) -> Value) -> Value? {
    do throws(PositionedError) {
      return try read()
    } catch {
      note(error)
      return nil
    }
  }
}

/// One object of the file, whose members are taken one by one. Mistakes are noted, and reading goes on.
struct FileObject {
  private var reader: ObjectReader
  private let mistakes: MistakeList
  let json: PositionedJSON

  init?(_ json: PositionedJSON, _ what: String, _ mistakes: MistakeList) {
    guard let reader = mistakes.attempt({ () throws(PositionedError) in try ObjectReader(json, what) }) else {
      return nil
    }
    self.reader = reader
    self.mistakes = mistakes
    self.json = json
  }

  /// The member, if it is there and right.
  mutating func optional<Value>(
    _ key: String, _ read: (PositionedJSON) throws(PositionedError) -> Value?
  ) -> Value? {
    mistakes.attempt { () throws(PositionedError) in try reader.optional(key).flatMap(read) } ?? nil
  }

  /// The member, if it is right; a note where it is not there.
  mutating func required<Value>(
    _ key: String, _ read: (PositionedJSON) throws(PositionedError) -> Value?
  ) -> Value? {
    mistakes.attempt { () throws(PositionedError) in try read(try reader.required(key)) } ?? nil
  }

  mutating func member(_ key: String) -> PositionedJSON? { optional(key) { $0 } }

  /// Notes the members that nobody asked for.
  func finish() {
    for error in reader.unreadMembers { mistakes.note(error) }
  }
}
