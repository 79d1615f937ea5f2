import Foundation

/// What this process takes of the machine.
enum ProcessMemory {
  /// Octets in the machine's memory (proc(5), statm); `nil` where the kernel does not say.
  static var resident: Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    return pages.map { $0 * Int(sysconf(Int32(_SC_PAGESIZE))) }
  }
}
