/// Takes the members of an object one by one; what is left at the end is a mistake.
struct ObjectReader {
  private let members: [PositionedJSON.Member]
  private let position: TextPosition
  private let what: String
  private var asked: [String] = []

  init(_ json: PositionedJSON, _ what: String) throws(PositionedError) {
    guard case .object(let members) = json.content else { throw json.expected("an object for \(what)") }
    self.members = members
    self.position = json.position
    self.what = what
  }

  mutating func optional(_ key: String) throws(PositionedError) -> PositionedJSON? {
    asked.append(key)
    return members.first { $0.key == key }?.value
  }

  mutating func required(_ key: String) throws(PositionedError) -> PositionedJSON {
    if let value = try optional(key) { return value }
    // A misspelled member is likelier than a missing one.
    if let near = members.first(where: { Suggestion.nearest(to: $0.key, among: [key]) != nil }) {
      throw PositionedError(near.position, "\(what) has no \"\(near.key.inert)\". Did you mean '\(key)'?")
    }
    throw PositionedError(position, "\(what) needs \"\(key)\"")
  }

  /// Refuses members that nobody asked for.
  func finish() throws(PositionedError) {
    for member in members where !asked.contains(member.key) {
      let suggestion = Suggestion.sentence(for: member.key, among: asked)
      throw PositionedError(member.position, "\(what) has no \"\(member.key.inert)\"\(suggestion)")
    }
  }
}
