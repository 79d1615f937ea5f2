import Dispatch

/// The conditions that a command waits for, which are evaluated whenever something has changed.
///
/// A delegate, signal handler or child process stores its result and calls `changed()`.
@MainActor final class Waiting {
  /// Returns whether the condition holds; throws if it cannot hold any more.
  typealias Condition = @MainActor () throws(ToolError) -> Bool
  private typealias Outcome = Result<Void, ToolError>

  private struct Waiter {
    let number: Int
    let isCleanUp: Bool
    var expiry: Expiry?
    let condition: Condition
    let continuation: CheckedContinuation<Outcome, Never>
  }

  private struct Expiry {
    let seconds: Double
    var deadline: DispatchTime
    let late: ToolError
  }

  private var waiters: [Waiter] = []
  /// The time of the next timeout check. One timer serves all waiters, because a timer for each request would cost more than the request.
  private var nextLook: DispatchTime?
  private var lastNumber = 0
  /// The reason for ending, once the command is interrupted.
  private(set) var interruption: ToolError?
  /// Whether the user is being asked: timeouts are suspended meanwhile.
  var isHeld = false

  /// Waits until `condition` is true.
  /// - Parameters:
  ///   - seconds: the time limit; `nil`: none.
  ///   - late: the error after the time limit.
  ///   - isCleanUp: whether this is part of the clean-up, which continues after an interruption.
  func until(
    within seconds: Double?, else late: ToolError? = nil, isCleanUp: Bool = false, _ condition: @escaping Condition
  ) async throws(ToolError) {
    if !isCleanUp, let interruption { throw interruption }
    if try condition() { return }
    lastNumber += 1
    let number = lastNumber
    let outcome = await withCheckedContinuation { (continuation: CheckedContinuation<Outcome, Never>) in
      let expiry = seconds.map { seconds in
        Expiry(
          seconds: seconds, deadline: .now() + seconds,
          late: late ?? ToolError(.timedOut, "No answer within \(seconds.plain) s."))
      }
      waiters.append(
        Waiter(
          number: number, isCleanUp: isCleanUp, expiry: expiry, condition: condition, continuation: continuation))
      if let expiry { look(at: expiry.deadline) }
    }
    try outcome.get()
  }

  /// Schedules a timeout check, unless an earlier one is scheduled.
  private func look(at time: DispatchTime) {
    if let nextLook, nextLook <= time { return }
    nextLook = time
    DispatchQueue.main.asyncAfter(deadline: time) { [weak self] in
      MainActor.assumeIsolated {
        // A check that was replaced by an earlier one does nothing.
        guard let self, self.nextLook == time else { return }
        self.nextLook = nil
        self.expire()
      }
    }
  }

  private func expire() {
    let now = DispatchTime.now()
    for waiter in waiters {
      guard let expiry = waiter.expiry, expiry.deadline <= now else { continue }
      if isHeld {
        guard let index = waiters.firstIndex(where: { $0.number == waiter.number }) else { continue }
        waiters[index].expiry?.deadline = now + expiry.seconds
      } else {
        finish(waiter.number, .failure(expiry.late))
      }
    }
    if let next = waiters.compactMap(\.expiry?.deadline).min() { look(at: next) }
  }

  /// Waits for a time.
  func pass(seconds: Double?) async throws(ToolError) {
    guard let seconds else { return try await until(within: nil) { false } }
    var isOver = false
    onMain(after: seconds) { [weak self] in
      isOver = true
      self?.changed()
    }
    try await until(within: nil) { isOver }
  }

  /// Evaluates all conditions.
  func changed() {
    for waiter in waiters {
      do {
        if try waiter.condition() { finish(waiter.number, .success(())) }
      } catch {
        finish(waiter.number, .failure(error))
      }
    }
  }

  /// Interrupts all waiters except those of the clean-up.
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
