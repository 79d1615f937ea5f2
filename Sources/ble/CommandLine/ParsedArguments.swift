/// What a command line says, read against the tree of commands.
struct ParsedArguments: Sendable {
  private var values: [String: [String]] = [:]
  private var counts: [String: Int] = [:]
  private var positions: [String: String] = [:]
  /// The words of the argument that takes all that the others leave.
  var rest: [String] = []

  init() {}

  mutating func count(_ option: Option) { counts[option.name, default: 0] += 1 }
  mutating func add(_ value: String, to option: Option) { values[option.name, default: []].append(value) }
  mutating func set(_ argument: Argument, to value: String) { positions[argument.name] = value }

  var isEmpty: Bool { values.isEmpty && counts.isEmpty && positions.isEmpty }

  /// Whether the option is there, with or without a value.
  func isGiven(_ option: Option) -> Bool { counts[option.name] != nil || values[option.name] != nil }
  func count(of counter: Option) -> Int { counts[counter.name] ?? 0 }

  /// The value given, else the standard one.
  func text(of option: Option) -> String? { values[option.name]?.last ?? option.standard }

  /// The value given, else the standard one, understood as a `Value`.
  func value<Value: ArgumentValue>(
    of option: Option, as type: Value.Type = Value.self
  ) throws(UsageError) -> Value? {
    guard let text = text(of: option) else { return nil }
    return try Self.read(text, option.label)
  }

  /// All values given, each understood as a `Value`.
  func values<Value: ArgumentValue>(
    of option: Option, as type: Value.Type = Value.self
  ) throws(UsageError) -> [Value] {
    var result: [Value] = []
    for text in values[option.name] ?? [] { result.append(try Self.read(text, option.label)) }
    return result
  }

  /// An argument that the parser made sure of.
  func value<Value: ArgumentValue>(
    of argument: Argument, as type: Value.Type = Value.self
  ) throws(UsageError) -> Value {
    guard let text = positions[argument.name] else { throw UsageError("Missing expected argument '\(argument.label)'") }
    return try Self.read(text, argument.label)
  }

  /// An argument that may be left out.
  func value<Value: ArgumentValue>(
    ofOptional argument: Argument, as type: Value.Type = Value.self
  ) throws(UsageError) -> Value? {
    guard let text = positions[argument.name] else { return nil }
    return try Self.read(text, argument.label)
  }

  private static func read<Value: ArgumentValue>(_ text: String, _ label: String) throws(UsageError) -> Value {
    do {
      return try Value(argument: text)
    } catch {
      throw UsageError("The value '\(text.inert)' is invalid for '\(label)': \(error.reason)")
    }
  }
}
