/// A place in a text file, both counted from 1; columns in characters.
struct TextPosition: Equatable, Sendable {
  var line = 1
  var column = 1
}

/// A JSON value that knows where it stands, so that a mistake in what it means can be shown as well.
struct PositionedJSON: Equatable, Sendable {
  enum Content: Equatable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([PositionedJSON])
    case object([Member])
  }

  struct Member: Equatable, Sendable {
    let key: String
    let position: TextPosition
    let value: PositionedJSON
  }

  let content: Content
  let position: TextPosition

  /// For messages: what is there instead of what was expected.
  var kind: String {
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
struct PositionedError: Error, Equatable, Sendable {
  let position: TextPosition
  let message: String

  init(_ position: TextPosition, _ message: String) {
    self.position = position
    self.message = message
  }
}
