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
  /// When the clock is looked at next. One look serves all who wait: a timer for each answer of a device would cost more than the answer.
  private var nextLook: DispatchTime?
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

  /// Looks at the clock then, unless it does so before.
  private func look(at time: DispatchTime) {
    if let nextLook, nextLook <= time { return }
    nextLook = time
    DispatchQueue.main.asyncAfter(deadline: time) { [weak self] in
      MainActor.assumeIsolated {
        // One that was put forward has nothing to do.
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
