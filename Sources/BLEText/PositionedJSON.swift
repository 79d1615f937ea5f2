/// A place in a text file, both counted from 1; columns in characters.
public struct TextPosition: Hashable, Comparable, Sendable {
  /// From 1.
  public var line: Int
  /// In characters, from 1.
  public var column: Int

  /// The beginning of a file, or another place.
  public init(line: Int = 1, column: Int = 1) {
    self.line = line
    self.column = column
  }

  /// What stands further in front is less.
  public static func < (left: TextPosition, right: TextPosition) -> Bool {
    (left.line, left.column) < (right.line, right.column)
  }
}

/// A JSON value that knows where it stands, so that a mistake in what it means can be shown as well.
package struct PositionedJSON: Equatable, Sendable {
  /// What it is.
  package enum Content: Equatable, Sendable {
    /// Nothing.
    case null
    /// True or false.
    case bool(Bool)
    /// A number, as a double holds it.
    case number(Double)
    /// A text, without its escapes.
    case string(String)
    /// Values in their order.
    case array([PositionedJSON])
    /// Members in their order.
    case object([Member])
  }

  /// One member of an object, with the place of its name.
  package struct Member: Equatable, Sendable {
    /// Its name.
    package let key: String
    /// Where the name begins.
    package let position: TextPosition
    /// What it is.
    package let value: PositionedJSON
  }

  /// What it is.
  package let content: Content
  /// Where it begins.
  package let position: TextPosition

  /// For messages: what is there instead of what was expected.
  package var kind: String {
    switch content {
    case .null: "null"
    case .bool: "true or false"
    case .number: "a number"
    case .string: "a string"
    case .array: "a list"
    case .object: "an object"
    }
  }
}

/// A mistake in a file: where, and what was expected.
package struct PositionedError: Error, Equatable, Sendable {
  /// Where it stands.
  package let position: TextPosition
  /// What was expected, and what stands there; harmless for a terminal.
  package let message: String

  /// A mistake at a place.
  package init(_ position: TextPosition, _ message: String) {
    self.position = position
    self.message = message
  }
}
