import Foundation

extension Date {
  /// ISO 8601 with milliseconds, UTC. A date outside of the calendar's range is clamped to it.
  package var stamp: String {
    let (first, last) = (-62_135_596_800.0, 253_402_300_799.999)
    let held = Date(timeIntervalSince1970: Swift.min(Swift.max(timeIntervalSince1970, first), last))
    return held.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }
}
