import BLESession
import CoreBluetooth

/// Waits for asynchronous work of BLESession.
extension Session {
  /// The result of the work.
  private final class Outcome<Value: Sendable> {
    var result: Result<Value, SessionError>?
  }

  /// Runs work of BLESession and waits for it. If the wait ends early (Ctrl-C, the time limit), the work is cancelled.
  func wait<Value: Sendable>(
    within seconds: Double? = nil, else late: ToolError? = nil, isCleanUp: Bool = false,
    for work: @escaping @Sendable () async throws(SessionError) -> Value
  ) async throws(ToolError) -> Value {
    let result = try await result(within: seconds, else: late, isCleanUp: isCleanUp, of: work)
    do {
      return try result.get()
    } catch {
      throw ToolError(error)
    }
  }

  /// The same, for callers that say themselves what an error of the work means.
  func result<Value: Sendable>(
    within seconds: Double? = nil, else late: ToolError? = nil, isCleanUp: Bool = false,
    of work: @escaping @Sendable () async throws(SessionError) -> Value
  ) async throws(ToolError) -> Result<Value, SessionError> {
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
    return outcome.result ?? .failure(SessionError(.cancelled, "there was no result"))
  }
}

extension Session {
  /// Waits a short time for work that is part of the clean-up.
  func settle(within seconds: Double = 2, _ work: @escaping @Sendable () async -> Void) async {
    _ = try? await wait(within: seconds, isCleanUp: true) { () async throws(SessionError) in await work() }
  }
}

extension ToolError {
  /// The exit status and message for an error of a session.
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
