/// Small sources, one a line, of which the compiler says whether they are right: for what no symbol graph shows.
struct CompilerProbe {
  struct Question {
    let symbol: String
    let source: String
    let shouldCompile: Bool
    /// What is said where it does not go as it should.
    let complaint: String
  }

  let questions: [Question]

  init(_ list: [ListedSymbol]) {
    questions = list.flatMap(Self.questions)
  }

  /// - Parameter errors: tells which lines of a source do not compile, with the reason.
  func findings(_ errors: (String) throws -> [Int: String]) throws -> [Finding] {
    let lines = questions.enumerated().map { index, question in "func probe\(index)() { \(question.source) }" }
    // The first line is 1, and the import is on it.
    let broken = try errors((["import CoreBluetooth"] + lines).joined(separator: "\n"))
    if let reason = broken[0] ?? broken[1] { throw Toolchain.Failure(description: reason) }
    return questions.enumerated().compactMap { index, question in
      let error = broken[index + 2]
      guard (error == nil) != question.shouldCompile else { return nil }
      return Finding(.different, question.symbol, question.complaint + (error.map { ": \($0)" } ?? ""))
    }
  }

  private static func questions(about symbol: ListedSymbol) -> [Question] {
    if symbol.isUnavailable, let owner = symbol.owner {
      return [
        Question(
          symbol: symbol.id, source: "_ = \(owner)()", shouldCompile: false, complaint: "a program can call it")
      ]
    }
    if symbol.isHiddenFromGraphs { return hidden(symbol) }
    guard symbol.kind == "type", let conformances = symbol.conformances else { return [] }
    var protocols = conformances.map { String($0.prefix { $0 != " " }) }
    // All objects are these on Apple's systems.
    if symbol.typeKind == "class" {
      protocols += ["NSObjectProtocol", "CVarArg", "Hashable", "CustomStringConvertible"]
    }
    var questions = protocols.map {
      Question(
        symbol: symbol.id, source: conformance(of: symbol.symbol, to: $0), shouldCompile: true,
        complaint: "is not \($0)")
    }
    if !protocols.contains("Sendable") {
      questions.append(
        Question(
          symbol: symbol.id, source: conformance(of: symbol.symbol, to: "Sendable"), shouldCompile: false,
          complaint: "is Sendable, and is not on Apple's systems"))
    }
    return questions
  }

  private static func conformance(of type: String, to name: String) -> String {
    "func check<T: \(name)>(_: T.Type) {}; check(\(type).self)"
  }

  /// Names that begin with an underscore, and operators.
  private static func hidden(_ symbol: ListedSymbol) -> [Question] {
    guard let owner = symbol.owner else { return [] }
    let source =
      switch symbol.kind {
      case "init": "let _: (NSError) -> \(owner) = \(owner).init(_nsError:)"
      case "func": "let _: (\(owner), any Error) -> Bool = (~=)"
      default: "let _: KeyPath<\(owner), NSError> = \\\(owner)._nsError"
      }
    return [Question(symbol: symbol.id, source: source, shouldCompile: true, complaint: "is not as declared")]
  }
}
