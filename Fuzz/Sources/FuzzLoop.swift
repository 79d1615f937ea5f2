import BLECore

/// A loop that runs when it is told to, on the thread of whoever tells it. Its clock moves by hand.
///
/// `@unchecked Sendable`: a fuzzer has one thread.
final class FuzzLoop: StackLoop, @unchecked Sendable {
  private(set) var now = StackInstant.zero
  private var jobs: [@Sendable () -> Void] = []
  private var timers = TimerQueue()
  private var origins: UInt32 = 0

  func makeOrigin() -> JobOrigin {
    origins += 1
    return JobOrigin(rawValue: origins)
  }

  func submit(from origin: JobOrigin, _ job: @escaping @Sendable () -> Void) { jobs.append(job) }

  func schedule(
    at deadline: StackInstant, _ kind: TimerKind, _ target: any TimerTarget, tag: Int
  ) -> TimerToken {
    timers.schedule(at: deadline, kind, target, tag: tag)
  }

  func cancel(_ token: TimerToken) { timers.cancel(token) }

  func deliver(_ delivery: any CallbackDelivery) { delivery.dispatch {} }

  /// Runs what is due until `time` has passed. More jobs and timers than any sound stack would need are a finding.
  func advance(by time: StackDuration) {
    let end = now + time
    var budget = 100_000
    while true {
      while !jobs.isEmpty {
        let batch = jobs
        jobs.removeAll()
        for job in batch { job() }
        budget -= batch.count
        require(budget > 0, "jobs without end")
      }
      guard let deadline = timers.nextDeadline(), deadline <= end else { break }
      now = max(now, deadline)
      while let due = timers.popDue(by: now) {
        due.target.timerFired(tag: due.tag)
        budget -= 1
        require(budget > 0, "timers without end")
      }
    }
    now = end
  }
}
