import Foundation

#if canImport(SQLite3)
  import SQLite3
#else
  import CSQLite
#endif

/// Ends statements that take more steps than any file of this size can give reason for.
///
/// The pages of a table are a tree; in a file that somebody has made, branches can lead to one page again and again, and a small file
/// can hold more rows than a machine can count. A row that is really there takes some octets, and so do the steps that it costs.
final class Effort {
  /// Steps of SQLite's machine between two looks.
  private static let interval: Int32 = 10_000
  /// Whatever the size.
  private static let base = 20_000_000
  private static let stepsPerOctet = 64

  private let path: String
  private var steps = 0
  private var allowed = Effort.base

  init(_ path: String) { self.path = path }

  /// From now on statements of this database end with `SQLITE_INTERRUPT` when they take too long. Must live as long as the database.
  func limit(_ handle: OpaquePointer) {
    let reference = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_progress_handler(
      handle, Self.interval,
      { reference in
        guard let reference else { return 0 }
        return Unmanaged<Effort>.fromOpaque(reference).takeUnretainedValue().isTooMuch() ? 1 : 0
      }, reference)
  }

  /// Another statement begins.
  func begin() { steps = 0 }

  private func isTooMuch() -> Bool {
    steps += Int(Self.interval)
    if steps <= allowed { return false }
    // The file may have grown since.
    let octets = ["", "-wal"].reduce(0) { $0 + Self.length(path + $1) }
    allowed = Self.base + Self.stepsPerOctet * min(octets, 1 << 50)
    return steps > allowed
  }

  private static func length(_ path: String) -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return max(0, (attributes?[.size] as? NSNumber)?.intValue ?? 0)
  }
}
