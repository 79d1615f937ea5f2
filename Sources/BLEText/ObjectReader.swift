/// Reads the members of an object one by one; members that were not read are errors.
package struct ObjectReader {
  private let members: [PositionedJSON.Member]
  private let position: TextPosition
  private let what: String
  private var read: [String] = []

  /// - Throws: if `json` is not an object; `what` names it in messages.
  package init(_ json: PositionedJSON, _ what: String) throws(PositionedError) {
    guard case .object(let members) = json.content else { throw json.expected("an object for \(what)") }
    self.members = members
    self.position = json.position
    self.what = what
  }

  /// The member of that name; `nil` where there is none.
  package mutating func optional(_ key: String) throws(PositionedError) -> PositionedJSON? {
    read.append(key)
    return members.first { $0.key == key }?.value
  }

  /// The member whose name was probably meant to be `key`.
  private func misspelled(_ key: String) -> PositionedJSON.Member? {
    members.first { Suggestion.nearest(to: $0.key, among: [key]) != nil }
  }

  /// Whether there is no member that is, or was probably meant to be, the one of that name.
  package func lacks(_ key: String) -> Bool { misspelled(key) == nil && !members.contains { $0.key == key } }

  /// The member of that name, which must exist.
  package mutating func required(_ key: String) throws(PositionedError) -> PositionedJSON {
    if let value = try optional(key) { return value }
    // A misspelled member is likelier than a missing one.
    if let near = misspelled(key) {
      throw PositionedError(near.position, "\(what) has no \"\(near.key.inert)\". Did you mean '\(key)'?")
    }
    throw PositionedError(position, "\(what) needs \"\(key)\"")
  }

  /// An error for each member that was not read.
  package var unreadMembers: [PositionedError] {
    members.filter { !read.contains($0.key) }.map { member in
      let suggestion = Suggestion.sentence(for: member.key, among: read)
      return PositionedError(member.position, "\(what) has no \"\(member.key.inert)\"\(suggestion)")
    }
  }
}
