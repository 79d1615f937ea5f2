/// A duration in whole nanoseconds. May be negative.
public struct StackDuration: Hashable, Comparable, Sendable, CustomStringConvertible {
  public let nanoseconds: Int64

  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// Rounded down to whole nanoseconds; beyond 292 years the nearest possible value.
  public init(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    let (whole, isBeyond) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isTooFar) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    self.init(nanoseconds: isBeyond || isTooFar ? (seconds < 0 ? .min : .max) : sum)
  }

  public static let zero = StackDuration(nanoseconds: 0)
  public static func nanoseconds(_ count: Int64) -> Self { Self(nanoseconds: count) }
  public static func microseconds(_ count: Int64) -> Self { Self(nanoseconds: count * 1_000) }
  public static func milliseconds(_ count: Int64) -> Self { Self(nanoseconds: count * 1_000_000) }
  public static func seconds(_ count: Int64) -> Self { Self(nanoseconds: count * 1_000_000_000) }
  /// Rounded to the nearest nanosecond; beyond 292 years, and for values that are not a number, the nearest possible value.
  public static func fractionalSeconds(_ count: Double) -> Self {
    let nanoseconds = (count * 1e9).rounded()
    if nanoseconds.isNaN { return .zero }
    if nanoseconds >= 9.2e18 { return Self(nanoseconds: .max) }
    if nanoseconds <= -9.2e18 { return Self(nanoseconds: .min) }
    return Self(nanoseconds: Int64(nanoseconds))
  }

  public var seconds: Double { Double(nanoseconds) / 1e9 }
  public var microseconds: Int64 { nanoseconds / 1_000 }
  public var milliseconds: Int64 { nanoseconds / 1_000_000 }

  public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }
  public static func + (left: Self, right: Self) -> Self { Self(nanoseconds: left.nanoseconds &+ right.nanoseconds) }
  public static func - (left: Self, right: Self) -> Self { Self(nanoseconds: left.nanoseconds &- right.nanoseconds) }
  public static func * (left: Self, right: Int64) -> Self { Self(nanoseconds: left.nanoseconds &* right) }
  public static func / (left: Self, right: Int64) -> Self { Self(nanoseconds: left.nanoseconds / right) }
  /// How many whole times `right` fits.
  public static func / (left: Self, right: Self) -> Int64 { left.nanoseconds / right.nanoseconds }

  public var description: String { "\(seconds) s" }
}

/// A point in time of one loop. The origin is specific to the loop: only differences have a meaning.
public struct StackInstant: Hashable, Comparable, Sendable, CustomStringConvertible {
  public let nanoseconds: Int64

  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  public static let zero = StackInstant(nanoseconds: 0)
  public static let distantFuture = StackInstant(nanoseconds: .max)

  public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }
  public static func + (left: Self, right: StackDuration) -> Self {
    let (sum, overflow) = left.nanoseconds.addingReportingOverflow(right.nanoseconds)
    return overflow ? .distantFuture : Self(nanoseconds: sum)
  }
  public static func - (left: Self, right: StackDuration) -> Self {
    Self(nanoseconds: left.nanoseconds &- right.nanoseconds)
  }
  public static func - (left: Self, right: Self) -> StackDuration {
    StackDuration(nanoseconds: left.nanoseconds &- right.nanoseconds)
  }

  public var description: String { "\(Double(nanoseconds) / 1e9) s" }
}
