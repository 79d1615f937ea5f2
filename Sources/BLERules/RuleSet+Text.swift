/// A set of rules in an environment variable is not understood.
public struct RuleSetError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, and what was expected.
  public let description: String
}

extension RuleSet {
  /// The longest text that is read, in octets.
  private static let longestText = 65_536

  /// Reads `iOS18`, or `iOS18; 20 because it shows all devices; 41 because ...`.
  public init(
    _ text: String, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) throws(RuleSetError) {
    guard text.utf8.count <= Self.longestText else {
      throw RuleSetError(description: "the text is longer than \(Self.longestText) octets")
    }
    var parts = text.split(separator: ";", omittingEmptySubsequences: false).map { Self.trimmed($0) }
    let system = parts.removeFirst()
    guard system.hasPrefix("iOS"), let version = Int(system.dropFirst(3)) else {
      throw RuleSetError(description: "'\(system)' is no system: expected iOS and its version, as in iOS18")
    }
    var suppressions: [Suppression] = []
    for part in parts where !part.isEmpty {
      let words = part.split(separator: " ", maxSplits: 1)
      guard let number = Int(words[0]), words.count == 2, words[1].hasPrefix("because") else {
        throw RuleSetError(
          description: "'\(part)' suppresses no rule: expected its number and a reason, as in '20 because ...'")
      }
      suppressions.append(Suppression(number, because: String(Self.trimmed(words[1].dropFirst("because".count)))))
    }
    let set = RuleSet.iOS(
      version, suppressing: suppressions, fileID: fileID, filePath: filePath, line: line, column: column)
    if let mistake = set.mistakes.first { throw RuleSetError(description: mistake) }
    self = set
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text.drop { $0.isWhitespace }
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }
}
