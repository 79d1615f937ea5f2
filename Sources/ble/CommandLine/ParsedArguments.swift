/// The values of a parsed command line.
struct ParsedArguments: Sendable {
  private var values: [String: [String]] = [:]
  private var counts: [String: Int] = [:]
  private var positions: [String: String] = [:]
  /// The words of the repeated argument.
  var rest: [String] = []

  init() {}

  mutating func count(_ option: Option) { counts[option.name, default: 0] += 1 }
  mutating func add(_ value: String, to option: Option) { values[option.name, default: []].append(value) }
  mutating func set(_ argument: Argument, to value: String) { positions[argument.name] = value }

  var isEmpty: Bool { values.isEmpty && counts.isEmpty && positions.isEmpty }

  /// Whether the option is present, with or without a value.
  func isGiven(_ option: Option) -> Bool { counts[option.name] != nil || values[option.name] != nil }
  func count(of counter: Option) -> Int { counts[counter.name] ?? 0 }

  /// The given value, otherwise the default.
  func text(of option: Option) -> String? { values[option.name]?.last ?? option.standard }

  /// The given value, otherwise the default, converted to `Value`.
  func value<Value: ArgumentValue>(
    of option: Option, as type: Value.Type = Value.self
  ) throws(UsageError) -> Value? {
    guard let text = text(of: option) else { return nil }
    return try Self.read(text, option.label)
  }

  /// All given values, converted to `Value`.
  func values<Value: ArgumentValue>(
    of option: Option, as type: Value.Type = Value.self
  ) throws(UsageError) -> [Value] {
    var result: [Value] = []
    for text in values[option.name] ?? [] { result.append(try Self.read(text, option.label)) }
    return result
  }

  /// A required argument, whose presence the parser has checked.
  func value<Value: ArgumentValue>(
    of argument: Argument, as type: Value.Type = Value.self
  ) throws(UsageError) -> Value {
    guard let text = positions[argument.name] else { throw UsageError("Missing expected argument '\(argument.label)'") }
    return try Self.read(text, argument.label)
  }

  /// An optional argument.
  func value<Value: ArgumentValue>(
    ofOptional argument: Argument, as type: Value.Type = Value.self
  ) throws(UsageError) -> Value? {
    guard let text = positions[argument.name] else { return nil }
    return try Self.read(text, argument.label)
  }

  /// All words of a repeated argument.
  func rest<Value: ArgumentValue>(of argument: Argument) throws(UsageError) -> [Value] {
    var result: [Value] = []
    for word in rest { result.append(try Self.read(word, argument.label)) }
    return result
  }

  private static func read<Value: ArgumentValue>(_ text: String, _ label: String) throws(UsageError) -> Value {
    do {
      return try Value(argument: text)
    } catch {
      throw UsageError("The value '\(text.inert)' is invalid for '\(label)': \(error.reason)")
    }
  }
}
