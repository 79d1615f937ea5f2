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

  /// How many octets a repetition leaves behind, judged by eight equal parts of `count`.
  ///
  /// Dispatch keeps freed blocks for each of its threads, up to 1,024 of 128 octets, and how many threads there are is the machine's
  /// business: the whole grows by leaps now and then. What each repetition leaves behind shows in every part: the second smallest
  /// growth is taken. A table that is never emptied grows by leaps as well, when it doubles: for that there is the total.
  /// - Parameters:
  ///   - limit: where more octets than that are left behind, it is repeated as often again, three times at most. On a busy machine with
  ///     many threads the caches are filled more slowly than they were warmed up; what each repetition loses is lost in every round.
  ///   - repeatUntil: repeats what is measured until it was done so often altogether.
  public static func leftBehind(
    byEachOf count: Int, atMost limit: Double = .infinity, _ repeatUntil: (Int) async throws -> Void
  ) async rethrows -> Growth {
    let parts = 8
    var (growth, rounds) = (Growth(octets: .infinity, held: []), 0)
    repeat {
      var held = [live]
      for part in 1...parts {
        try await repeatUntil(count * rounds + count * part / parts)
        held.append(live)
      }
      let growths = zip(held.dropFirst(), held).map { $0 - $1 }.sorted()
      growth = Growth(octets: Double(growths[1]) / Double(count / parts), held: held)
      rounds += 1
    } while growth.octets > limit && rounds < 4
    return growth
  }

  public struct Growth: CustomStringConvertible, Sendable {
    /// For each repetition.
    public let octets: Double
    /// Live octets before, between and after the parts.
    public let held: [Int]
    /// Octets by which the whole has grown, the leaps included.
    public var total: Int { (held.last ?? 0) - (held.first ?? 0) }

    public var description: String { "\(octets) octets each; live octets: \(held)" }
  }
}
