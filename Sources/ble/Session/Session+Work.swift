import BLESession
import CoreBluetooth

/// BLESession's work, waited for in the tool's way.
extension Session {
  /// What became of something that is waited for.
  private final class Outcome<Value: Sendable> {
    var result: Result<Value, SessionError>?
  }

  /// Waits for work of BLESession. What ends the waiting (Ctrl-C, the time) cancels the work.
  func wait<Value: Sendable>(
    within seconds: Double? = nil, else late: ToolError? = nil, isCleanUp: Bool = false,
    for work: @escaping @Sendable () async throws(SessionError) -> Value
  ) async throws(ToolError) -> Value {
    let outcome = Outcome<Value>()
    let waiting = waiting
    let task = Task { @MainActor in
      do throws(SessionError) {
        outcome.result = .success(try await work())
      } catch {
        outcome.result = .failure(error)
      }
      waiting.changed()
    }
    do {
      try await waiting.until(within: seconds, else: late, isCleanUp: isCleanUp) { outcome.result != nil }
    } catch {
      task.cancel()
      throw error
    }
    switch outcome.result {
    case .success(let value): return value
    case .failure(let error): throw ToolError(error)
    case nil: throw ToolError(.failed, "Nothing came of it.")
    }
  }
}

extension Session {
  /// Waits for something that is part of ending in good order, but not for long.
  func settle(within seconds: Double = 2, _ work: @escaping @Sendable () async -> Void) async {
    _ = try? await wait(within: seconds, isCleanUp: true) { () async throws(SessionError) in await work() }
  }
}

extension ToolError {
  /// How the tool ends for what a session says.
  init(_ error: SessionError) {
    let status: ExitStatus =
      switch error.code {
      case .unavailable: .unavailable
      case .timedOut, .budgetSpent, .attemptsSpent: .timedOut
      case .notFound: .notFound
      case .invalid: .usage
      default: .failed
      }
    var message = error.description.inert
    if let first = message.first { message = first.uppercased() + message.dropFirst() }
    if !message.hasSuffix(".") { message += "." }
    self.init(status, message, attributeError: (error.underlying as? CBATTError)?.errorCode)
  }
}
