import Synchronization
import Testing

/// One call of `explore`: the same in each process that runs its test.
struct ExploreCall: Codable, Hashable, Sendable {
  /// The test's identifier, as `--filter` matches it.
  let test: String
  /// The arguments of a parameterised test, as text.
  let arguments: String
  /// The file, line and column of the call.
  let place: String
  /// The number of earlier calls at this place in this case of the test.
  fileprivate(set) var ordinal = 0

  /// - Returns: `nil` outside of a test of swift-testing.
  init?(at location: SourceLocation) {
    guard let test = Test.current else { return nil }
    self.test = "\(test.id)"
    // Private types are named with addresses, which differ between processes.
    let text = Test.Case.current.map { String(reflecting: $0) } ?? ""
    arguments = text.split(separator: "$").enumerated().map { part in
      part.offset == 0 ? part.element : part.element.drop(while: \.isHexDigit)
    }.joined(separator: "$")
    place = "\(location.fileID):\(location.line):\(location.column)"
  }

  /// Whether both are calls of one case of a test.
  func isInCase(of other: ExploreCall) -> Bool { test == other.test && arguments == other.arguments }
}

/// How a call of `explore` ended. A process that repeats a test up to a later call is given it.
enum ExploreOutcome: Codable, Sendable {
  case exploration(Exploration)
  case failure(ExplorationFailure)
  case cancellation

  func get() throws -> Exploration {
    switch self {
    case .exploration(let exploration): return exploration
    case .failure(let failure): throw failure
    case .cancellation: throw CancellationError()
    }
  }
}

/// The calls of `explore` in this process so far.
enum ExploreCalls {
  struct Ended: Codable, Sendable {
    let call: ExploreCall
    let outcome: ExploreOutcome
  }

  private struct State {
    var counts: [ExploreCall: Int] = [:]
    var underWay: [ExploreCall] = []
    var ended: [Ended] = []
  }

  private static let state = Mutex(State())

  /// Numbers a call.
  /// - Returns: the call; and whether another call of the same case is under way, with which it could be confused.
  static func begin(_ call: ExploreCall) -> (call: ExploreCall, isAlone: Bool) {
    state.withLock { state in
      var numbered = call
      numbered.ordinal = state.counts[call, default: 0]
      state.counts[call] = numbered.ordinal + 1
      let isAlone = !state.underWay.contains { $0.isInCase(of: call) }
      state.underWay.append(numbered)
      return (numbered, isAlone)
    }
  }

  static func end(_ call: ExploreCall, _ outcome: ExploreOutcome) {
    state.withLock { state in
      state.underWay.removeAll { $0 == call }
      state.ended.append(Ended(call: call, outcome: outcome))
    }
  }

  /// The calls before this one in its case of the test.
  static func ended(before call: ExploreCall) -> [Ended] {
    state.withLock { $0.ended.filter { $0.call.isInCase(of: call) } }
  }
}
