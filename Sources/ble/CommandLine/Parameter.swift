/// A parameter of a command, declared once: how it is written, its help, and the type with which the command gets it.
struct Parameter<Value: Sendable>: Sendable {
  let option: Option?
  let argument: Argument?
  let read: @Sendable (ParsedArguments) throws(UsageError) -> Value

  init(
    _ option: Option? = nil, _ argument: Argument? = nil,
    _ read: @escaping @Sendable (ParsedArguments) throws(UsageError) -> Value
  ) {
    self.option = option
    self.argument = argument
    self.read = read
  }
}

extension Parameter where Value == ParsedArguments {
  /// The whole command line, for a command that has to know more than its own parameters.
  static let line = Parameter { (arguments) throws(UsageError) in arguments }
}

/// The ways to declare one. The key path leads from what the text is read as to what the command gets.
extension Parameter {
  static func flag(_ name: String, _ help: String) -> Parameter where Value == Bool {
    let option = Option.flag(name, help)
    return Parameter(option) { (arguments) throws(UsageError) in arguments.isGiven(option) }
  }

  static func option<Read: ArgumentValue, Part>(
    _ name: String, letter: Character? = nil, _ placeholder: String, _ help: String,
    _ part: any KeyPath<Read, Part> & Sendable
  ) -> Parameter where Value == Part? {
    let option = Option.value(name, letter: letter, placeholder, help)
    return Parameter(option) { (arguments) throws(UsageError) in
      (try arguments.value(of: option) as Read?)?[keyPath: part]
    }
  }

  static func option<Read: ArgumentValue>(
    _ name: String, _ placeholder: String, standard: String, _ help: String,
    _ part: any KeyPath<Read, Value> & Sendable
  ) -> Parameter {
    let option = Option.value(name, placeholder, standard: standard, help)
    return Parameter(option) { (arguments) throws(UsageError) in
      guard let read: Read = try arguments.value(of: option) else { throw UsageError("Missing '\(option.label)'") }
      return read[keyPath: part]
    }
  }

  /// An option that may be given several times.
  static func options<Read: ArgumentValue>(
    _ name: String, _ placeholder: String, _ help: String, of type: Read.Type = Read.self
  ) -> Parameter where Value == [Read] {
    let option = Option.values(name, placeholder, help)
    return Parameter(option) { (arguments) throws(UsageError) in try arguments.values(of: option) }
  }

  /// - Parameter hint: what the error says where the argument is missing, as the second half of a sentence.
  static func argument(_ name: String, _ help: String, hint: String? = nil) -> Parameter where Value: ArgumentValue {
    let argument = Argument(name, help, hint: hint)
    return Parameter(nil, argument) { (arguments) throws(UsageError) in try arguments.value(of: argument) }
  }

  static func argument<Read: ArgumentValue>(optional name: String, _ help: String) -> Parameter where Value == Read? {
    let argument = Argument(name, isOptional: true, help)
    return Parameter(nil, argument) { (arguments) throws(UsageError) in try arguments.value(ofOptional: argument) }
  }

  /// An argument that takes all words that the others leave.
  static func arguments<Read: ArgumentValue>(
    _ name: String, _ help: String, of type: Read.Type = Read.self
  ) -> Parameter where Value == [Read] {
    let argument = Argument(name, isOptional: true, isRepeated: true, help)
    return Parameter(nil, argument) { (arguments) throws(UsageError) in try arguments.rest(of: argument) }
  }
}
