import Foundation

#if canImport(SQLite3)
  import SQLite3
#else
  import CSQLite
#endif

/// Interrupts statements that take more steps than a file of this size can justify.
///
/// A table's pages form a tree. In a crafted file many branches can lead to the same page, so that a small file seems to hold more rows
/// than a machine can count. A real row takes space in the file, and the steps allowed grow with the file's size.
final class StepLimit {
  /// Steps of SQLite's virtual machine between two checks.
  private static let interval: Int32 = 10_000
  /// Steps allowed for a file of any size.
  private static let base = 20_000_000
  private static let stepsPerOctet = 64

  private let path: String
  private var steps = 0
  private var allowed = StepLimit.base

  init(_ path: String) { self.path = path }

  /// Makes statements of this database end with `SQLITE_INTERRUPT` beyond the limit. Must live as long as the database.
  func limit(_ handle: OpaquePointer) {
    let reference = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_progress_handler(
      handle, Self.interval,
      { reference in
        guard let reference else { return 0 }
        return Unmanaged<StepLimit>.fromOpaque(reference).takeUnretainedValue().isTooMuch() ? 1 : 0
      }, reference)
  }

  /// Starts to count for another statement.
  func begin() { steps = 0 }

  private func isTooMuch() -> Bool {
    steps += Int(Self.interval)
    if steps <= allowed { return false }
    // The file may have grown since the last check.
    let octets = ["", "-wal"].reduce(0) { $0 + Self.length(path + $1) }
    allowed = Self.base + Self.stepsPerOctet * min(octets, 1 << 50)
    return steps > allowed
  }

  private static func length(_ path: String) -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return max(0, (attributes?[.size] as? NSNumber)?.intValue ?? 0)
  }
}
