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
public struct PositionedJSON: Equatable, Sendable {
  /// What it is.
  public enum Content: Equatable, Sendable {
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
  public struct Member: Equatable, Sendable {
    /// Its name.
    public let key: String
    /// Where the name begins.
    public let position: TextPosition
    /// What it is.
    public let value: PositionedJSON
  }

  /// What it is.
  public let content: Content
  /// Where it begins.
  public let position: TextPosition

  /// For messages: what is there instead of what was expected.
  public var kind: String {
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
public struct PositionedError: Error, Equatable, Sendable {
  /// Where it stands.
  public let position: TextPosition
  /// What was expected, and what stands there; harmless for a terminal.
  public let message: String

  /// A mistake at a place.
  public init(_ position: TextPosition, _ message: String) {
    self.position = position
    self.message = message
  }
}
