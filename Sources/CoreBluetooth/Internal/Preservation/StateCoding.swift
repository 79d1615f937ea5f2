internal import BLEAdapter

/// The encoding of preserved states.
enum StateCoding {
  static func encode(_ state: some Encodable) -> [UInt8]? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return (try? encoder.encode(state)).map { [UInt8]($0) }
  }
}

extension PreservedState {
  /// Decodes the state that was left; an undecodable one is set aside.
  func decodeLeft<State: Decodable>() -> State? {
    guard let left else { return nil }
    do {
      return try JSONDecoder().decode(State.self, from: Data(left))
    } catch {
      setAside(because: "\(error)")
      return nil
    }
  }
}

extension PreservationKey {
  /// From the value of a manager's option; `nil` if it is not an identifier.
  init?(_ role: Role, _ option: Any?) {
    guard let identifier = option as? String, !identifier.isEmpty else { return nil }
    self.init(role, identifier)
  }
}
