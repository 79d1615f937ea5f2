import BLECore
import Dispatch

/// A loop that runs on request, on the caller's thread. Its clock moves by hand.
///
/// Callbacks are brought to their queues between two batches of jobs, one after another, and each is waited for: with one input a run is
/// the same each time.
///
/// `@unchecked Sendable`: a fuzzer has one thread, and while a callback runs on another, that one waits.
package final class FuzzLoop: StackLoop, @unchecked Sendable {
  package private(set) var now = StackInstant.zero
  private var jobs: [@Sendable () -> Void] = []
  private var timers = TimerQueue()
  private var deliveries: [any CallbackDelivery] = []
  private var origins: UInt32 = 0

  package init() {}

  package func makeOrigin() -> JobOrigin {
    origins += 1
    return JobOrigin(rawValue: origins)
  }

  package func submit(from origin: JobOrigin, _ job: @escaping @Sendable () -> Void) { jobs.append(job) }

  package func schedule(
    at deadline: StackInstant, _ kind: TimerKind, _ target: any TimerTarget, tag: Int
  ) -> TimerToken {
    timers.schedule(at: deadline, kind, target, tag: tag)
  }

  package func cancel(_ token: TimerToken) { timers.cancel(token) }

  package func deliver(_ delivery: any CallbackDelivery) { deliveries.append(delivery) }

  /// Runs what is due until `time` has passed. More jobs and timers than any sound stack would need are a finding.
  package func advance(by time: StackDuration) {
    let end = now + time
    var budget = 100_000
    while true {
      while !jobs.isEmpty || !deliveries.isEmpty {
        let batch = jobs
        jobs.removeAll()
        for job in batch { job() }
        budget -= batch.count + bringDeliveries()
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

  /// - Returns: how many there were.
  private func bringDeliveries() -> Int {
    let batch = deliveries
    deliveries.removeAll()
    for delivery in batch {
      let finished = DispatchSemaphore(value: 0)
      delivery.dispatch { finished.signal() }
      finished.wait()
    }
    return batch.count
  }
}
