/// A mistake in what describes an air: a plan, a walk, an interferer, a crowd, a recorded trace.
public struct AirDescriptionError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Where the mistake is: "wall 3", "line 12, column 5".
  public let place: String
  /// What was found there.
  public let found: String
  /// What may stand there.
  public let expected: String

  /// A mistake with its place, and what may stand there instead.
  public init(_ place: String, found: String, expected: String) {
    self.place = place
    self.found = found
    self.expected = expected
  }

  /// Place, what was found and what is expected, in one line.
  public var description: String { "\(place): \(found); expected \(expected)" }
}

extension Position {
  /// Whether all three coordinates are numbers, and none is infinite.
  package var isFinite: Bool { x.isFinite && y.isFinite && z.isFinite }

  /// Throws unless it can be a place in a described air.
  package func check(_ place: String) throws(AirDescriptionError) {
    guard isFinite, abs(x) <= Self.limit, abs(y) <= Self.limit, abs(z) <= Self.limit else {
      throw AirDescriptionError(
        place, found: "the position (\(x), \(y), \(z))", expected: "coordinates in metres from -1e6 to 1e6")
    }
  }

  private static let limit = 1e6
}
