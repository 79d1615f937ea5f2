import BLESession

extension String {
  /// The text with everything that could act on a terminal, hide or reorder its surroundings written out: see `InertText`.
  var inert: String { InertText.of(self) }

  /// The same for text that people write to each other, in which a backslash is a backslash. What was written out can then no
  /// longer be told from what was written like that.
  var inertWords: String {
    unicodeScalars.split(separator: "\\", omittingEmptySubsequences: false)
      .map { String(String.UnicodeScalarView($0)).inert }.joined(separator: "\\")
  }

  /// Whether nothing in the text has to be written out.
  var isInert: Bool { !unicodeScalars.contains(where: Self.mayAct) }

  static func mayAct(_ scalar: Unicode.Scalar) -> Bool { InertText.mayAct(scalar) }
}
