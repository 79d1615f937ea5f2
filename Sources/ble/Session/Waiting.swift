import Dispatch

/// Everything that a command waits for: conditions that are looked at whenever something has happened.
///
/// Whoever learns something (a delegate, a signal, a child process) stores it and calls `changed()`.
@MainActor final class Waiting {
  /// Answers whether what was waited for is there; throws where it will not come any more.
  typealias Condition = @MainActor () throws(ToolError) -> Bool
  private typealias Outcome = Result<Void, ToolError>

  private struct Waiter {
    let number: Int
    let isCleanUp: Bool
    let condition: Condition
    let continuation: CheckedContinuation<Outcome, Never>
  }

  private var waiters: [Waiter] = []
  private var lastNumber = 0
  /// Why everything is to end, once it is.
  private(set) var interruption: ToolError?
  /// The user is being asked something: meanwhile nothing is too late.
  var isHeld = false

  /// Waits until `condition` is true.
  /// - Parameters:
  ///   - seconds: how long; `nil` for as long as it takes.
  ///   - late: what is thrown after that.
  ///   - isCleanUp: whether this is part of ending in good order, which goes on after an interruption.
  func until(
    within seconds: Double?, else late: ToolError? = nil, isCleanUp: Bool = false, _ condition: @escaping Condition
  ) async throws(ToolError) {
    if !isCleanUp, let interruption { throw interruption }
    if try condition() { return }
    lastNumber += 1
    let number = lastNumber
    let outcome = await withCheckedContinuation { (continuation: CheckedContinuation<Outcome, Never>) in
      waiters.append(
        Waiter(number: number, isCleanUp: isCleanUp, condition: condition, continuation: continuation))
      guard let seconds else { return }
      expire(number, after: seconds, late ?? ToolError(.timedOut, "No answer within \(seconds.plain) s."))
    }
    try outcome.get()
  }

  private func expire(_ number: Int, after seconds: Double, _ late: ToolError) {
    DispatchQueue.main.asyncAfter(deadline: .now() + seconds) { [weak self] in
      MainActor.assumeIsolated {
        guard let self else { return }
        if self.isHeld { self.expire(number, after: seconds, late) } else { self.finish(number, .failure(late)) }
      }
    }
  }

  /// Waits for a time and for nothing else.
  func pass(seconds: Double?) async throws(ToolError) {
    guard let seconds else { return try await until(within: nil) { false } }
    var isOver = false
    DispatchQueue.main.asyncAfter(deadline: .now() + seconds) { [weak self] in
      MainActor.assumeIsolated {
        isOver = true
        self?.changed()
      }
    }
    try await until(within: nil) { isOver }
  }

  /// Something has happened: looks at all conditions.
  func changed() {
    for waiter in waiters {
      do {
        if try waiter.condition() { finish(waiter.number, .success(())) }
      } catch {
        finish(waiter.number, .failure(error))
      }
    }
  }

  /// Everything is to end: whoever waits is told, but for those who are ending things already.
  func interrupt(_ reason: ToolError) {
    guard interruption == nil else { return }
    interruption = reason
    for waiter in waiters where !waiter.isCleanUp { finish(waiter.number, .failure(reason)) }
  }

  private func finish(_ number: Int, _ outcome: Outcome) {
    guard let index = waiters.firstIndex(where: { $0.number == number }) else { return }
    waiters.remove(at: index).continuation.resume(returning: outcome)
  }
}
