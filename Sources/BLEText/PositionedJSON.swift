/// A position in a text file.
public struct TextPosition: Hashable, Comparable, Sendable {
  /// Counted from 1.
  public var line: Int
  /// In characters, from 1.
  public var column: Int

  /// The beginning of a file, or another position.
  public init(line: Int = 1, column: Int = 1) {
    self.line = line
    self.column = column
  }

  /// Whether `left` comes first.
  public static func < (left: TextPosition, right: TextPosition) -> Bool {
    (left.line, left.column) < (right.line, right.column)
  }
}

/// A JSON value with its position in the file, so that errors in its meaning can be located, too.
package struct PositionedJSON: Equatable, Sendable {
  /// The kinds of values.
  package enum Content: Equatable, Sendable {
    /// `null`.
    case null
    /// True or false.
    case bool(Bool)
    /// A number, as a double.
    case number(Double)
    /// A string, with its escapes decoded.
    case string(String)
    /// Elements in their order.
    case array([PositionedJSON])
    /// Members in their order.
    case object([Member])
  }

  /// One member of an object, with the position of its name.
  package struct Member: Equatable, Sendable {
    /// Its name.
    package let key: String
    /// Where the name begins.
    package let position: TextPosition
    /// Its value.
    package let value: PositionedJSON

    /// A member that was not read from JSON.
    package init(key: String, position: TextPosition, value: PositionedJSON) {
      self.key = key
      self.position = position
      self.value = value
    }
  }

  /// The value.
  package let content: Content
  /// Where it begins.
  package let position: TextPosition

  /// A value that was not read from JSON.
  package init(content: Content, position: TextPosition) {
    self.content = content
    self.position = position
  }

  /// The kind, for messages such as "expected …, found a string".
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

/// An error in a file: its position, and what was expected.
package struct PositionedError: Error, Equatable, Sendable {
  /// The position in the file.
  package let position: TextPosition
  /// What was expected, and what was found; safe for a terminal.
  package let message: String

  /// An error at a position.
  package init(_ position: TextPosition, _ message: String) {
    self.position = position
    self.message = message
  }
}
