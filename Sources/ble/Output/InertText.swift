import BLESession

extension String {
  /// The text with everything that could act on a terminal, hide or reorder its surroundings written out: see `InertText`.
  var inert: String { InertText.of(self) }

  /// Whether nothing in the text has to be written out.
  var isInert: Bool { !unicodeScalars.contains(where: Self.mayAct) }

  static func mayAct(_ scalar: Unicode.Scalar) -> Bool { InertText.mayAct(scalar) }
}
