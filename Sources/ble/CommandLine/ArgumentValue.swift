/// A type that an option or argument can be converted to.
protocol ArgumentValue: SendableMetatype {
  init(argument: String) throws(ArgumentValueError)
}

/// One of several words.
extension ArgumentValue where Self: CaseIterable & RawRepresentable<String> {
  init(argument: String) throws(ArgumentValueError) {
    guard let value = Self(rawValue: argument) else {
      let words = Self.allCases.map(\.rawValue)
      throw ArgumentValueError(
        "expected \(words.joined(separator: ", "))\(Suggestion.sentence(for: argument, among: words))")
    }
    self = value
  }
}

extension String: ArgumentValue {
  init(argument: String) { self = argument }
}

/// The path of a file.
struct FilePath: ArgumentValue, Equatable, Sendable {
  let text: String

  init(argument: String) throws(ArgumentValueError) {
    if argument.isEmpty { throw ArgumentValueError("expected the path of a file") }
    text = argument
  }
}

/// A span of time given in seconds, with or without decimals.
struct Seconds: ArgumentValue, Equatable, Sendable {
  let value: Double

  /// The longest time: a year. A larger number is taken for a mistake.
  private static let limit = 31_536_000.0

  init(_ value: Double) { self.value = value }

  init(argument: String) throws(ArgumentValueError) {
    let characters = argument.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E }
    guard characters, let value = Double(argument), value <= Self.limit else {
      throw ArgumentValueError("expected a number of seconds, such as 5 or 0.5")
    }
    self.value = value
  }
}

/// A number of things to wait for, at least one.
struct Count: ArgumentValue, Equatable, Sendable {
  let value: Int

  init(argument: String) throws(ArgumentValueError) {
    guard let value = Int(argument), value > 0 else { throw ArgumentValueError("expected a number of 1 or more") }
    self.value = value
  }
}

extension ValueFormat: ArgumentValue {}
