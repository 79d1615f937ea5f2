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

  /// Resident memory, after what was freed has been given back.
  static var residentKibibytes: Double {
    allocations_trim()
    guard let file = fopen("/proc/self/statm", "r") else { return .nan }
    defer { fclose(file) }
    var octets = [CChar](repeating: 0, count: 256)
    guard fgets(&octets, Int32(octets.count), file) != nil else { return .nan }
    let text = String(decoding: octets.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    let fields = text.split(separator: " ")
    guard fields.count > 1, let pages = Double(fields[1]) else { return .nan }
    return pages * Double(sysconf(Int32(_SC_PAGESIZE))) / 1024
  }

  /// How many blocks of memory are asked for in `work`, in all threads.
  static func allocations(in work: () async throws -> Void) async rethrows -> Double {
    allocations_start()
    defer { _ = allocations_stop() }
    try await work()
    return Double(allocations_stop())
  }
}
