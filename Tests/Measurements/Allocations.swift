internal import CMalloc
internal import Foundation

/// The C library's memory of this process, for tests that repeat an operation often. Each measures in a process of its own,
/// where no other test allocates.
public enum Allocations {
  /// Whether this process can start others that measure: a sanitizer has an allocator of its own.
  ///
  /// Processes started after this was called run without the C library's per-thread caches: it counts blocks freed into them
  /// as in use, and the number of threads depends on the machine.
  public static let areKnown: Bool = {
    setenv("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0", 0)
    return dlsym(nil, "__asan_init") == nil && dlsym(nil, "__tsan_init") == nil
  }()

  /// Octets in blocks that were allocated and not freed.
  public static var live: Int { Int(live_octets()) }

  /// Octets of resident pages, after freed memory has been returned.
  public static var resident: Int {
    malloc_trim(0)
    let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
    return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * sysconf(Int32(_SC_PAGESIZE))
  }

  /// How many octets a repetition leaves behind.
  /// - Parameter repeatUntil: repeats what is measured until it was done so often. Has been done often enough before that what is allocated
  ///   once is there.
  public static func leftBehind(
    byEachOf count: Int, _ repeatUntil: (Int) async throws -> Void
  ) async rethrows -> Growth {
    let before = settled
    try await repeatUntil(count)
    return Growth(count: count, before: before, after: settled)
  }

  /// Live octets, after Dispatch's idle threads have ended.
  ///
  /// Dispatch keeps freed blocks for each of its threads, up to 1,024 of 64 octets. How many threads there are, and how soon their blocks are that
  /// many, depends on how busy the machine is: they are megabytes that no table holds. A thread ends when it was idle for five seconds, and
  /// its blocks are freed. Blocks the thread of the caller meanwhile: a task that sleeps would keep others awake.
  private static var settled: Int {
    var (count, since) = (threadCount, ContinuousClock.now)
    let end = since + .seconds(60)
    while ContinuousClock.now < min(since + .seconds(7), end) {
      usleep(50_000)
      let now = threadCount
      if now != count { (count, since) = (now, .now) }
    }
    return live
  }

  private static var threadCount: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
  }

  public struct Growth: CustomStringConvertible, Sendable {
    fileprivate let count: Int
    /// Live octets before the first repetition, and after the last.
    public let before, after: Int
    /// For each repetition.
    public var octets: Double { Double(after - before) / Double(count) }

    public var description: String { "\(octets) octets each; live octets: \(before), then \(after)" }
  }
}
