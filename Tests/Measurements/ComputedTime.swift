internal import Foundation

/// How long an operation computes, whatever else the machine does: wall-clock time would measure the load.
public enum ComputedTime {
  /// The processor time of the calling thread in `body`.
  public static func of(_ body: () throws -> Void) rethrows -> Duration {
    let begin = now
    try body()
    return now - begin
  }

  private static var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
