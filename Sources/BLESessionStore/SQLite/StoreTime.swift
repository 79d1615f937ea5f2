import Foundation

/// Times as stored in the file: microseconds since the beginning of 1970 (UTC).
enum StoreTime {
  /// A time beyond the range becomes the nearest within it.
  static func microseconds(of date: Date) -> Int64 {
    let value = (date.timeIntervalSince1970 * 1_000_000).rounded()
    return value.isNaN ? 0 : Int64(exactly: value) ?? (value < 0 ? .min : .max)
  }

  static func date(_ microseconds: Int64) -> Date { Date(timeIntervalSince1970: Double(microseconds) / 1_000_000) }
}
