internal import CMalloc
import Foundation

/// What this process uses.
enum ProcessUse {
  /// The processor time of all threads so far.
  static var processorTime: Duration { time(CLOCK_PROCESS_CPUTIME_ID) }
  /// The processor time of the calling thread so far.
  static var threadTime: Duration { time(CLOCK_THREAD_CPUTIME_ID) }

  private static func time(_ clock: clockid_t) -> Duration {
    var time = timespec()
    clock_gettime(clock, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  /// The resident memory in octets; 0 where `/proc` is missing.
  static var resident: Int {
    let fields = text("/proc/self/statm").split(separator: " ")
    return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * sysconf(Int32(_SC_PAGESIZE))
  }

  /// Octets in blocks that were allocated and not freed. Unlike resident memory it does not shrink when the system takes pages back that were not used
  /// for a while. Where the allocator does not say (a sanitizer's), the resident memory.
  static var allocated: Int {
    let octets = Int(live_octets())
    return octets > 0 ? octets : resident
  }

  /// Whether all other threads of this process wait for something.
  static var othersSleep: Bool {
    // This thread runs.
    threadsAwake(in: "self").map { $0 <= 1 } ?? false
  }

  /// Whether all threads of a process wait for something; false if that is not known.
  static func sleeps(_ process: Int32) -> Bool { threadsAwake(in: "\(process)") == 0 }

  private static func threadsAwake(in process: String) -> Int? {
    guard let threads = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task"), !threads.isEmpty
    else { return nil }
    // The state is behind the name, which stands in parentheses (proc(5)).
    let states = threads.map { thread in
      text("/proc/\(process)/task/\(thread)/stat").split(separator: ")").last?.dropFirst().first
    }
    return states.count { $0 != "S" && $0 != nil }
  }

  /// The beginning of a small file; empty if it cannot be read.
  private static func text(_ path: String) -> String {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return "" }
    defer { close(file) }
    var octets = [UInt8](repeating: 0, count: 512)
    let count = read(file, &octets, octets.count)
    return String(decoding: octets[..<max(0, count)], as: UTF8.self)
  }
}
