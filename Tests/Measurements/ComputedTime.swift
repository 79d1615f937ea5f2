internal import Foundation

/// How long something takes, whatever else the machine has to do: the time of day would tell how busy it is.
public enum ComputedTime {
  /// What the calling thread computes in `body`.
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
