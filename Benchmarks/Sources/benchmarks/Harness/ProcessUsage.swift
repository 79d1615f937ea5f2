import CAllocations
import Glibc

/// What this process has used.
enum ProcessUsage {
  /// CPU time of all threads.
  static var cpuSeconds: Double { seconds(CLOCK_PROCESS_CPUTIME_ID) }

  static var wallSeconds: Double { seconds(CLOCK_MONOTONIC) }

  private static func seconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  /// How many blocks of memory `work` asks for, and how many octets more are in use after it, in all threads.
  static func heap<Result>(
    in work: () async throws -> Result
  ) async rethrows -> (result: Result, blocks: Double, octets: Double) {
    allocations_start()
    defer { _ = allocations_stop() }
    let result = try await work()
    let found = allocations_stop()
    return (result, Double(found.blocks), Double(found.octets))
  }
}
