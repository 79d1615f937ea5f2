import BLESession

/// What the session of a device reports, in its order, which tasks of their own would not keep.
///
/// A value that comes faster than values are handled is dropped. News are few and never make room for values: without them the state of
/// the device would be wrong from then on.
final class DeviceReports: Sendable {
  enum Report: Sendable {
    case news(DeviceNews)
    case notified(NotifiedValue)
  }

  struct NotifiedValue: Sendable {
    let path: CharacteristicPath
    let octets: [UInt8]
    /// By the central's clock.
    let time: Duration
    /// Of this subscription so far, with this one.
    let counts: SubscriptionCounts
  }

  /// Values that wait.
  private static let mostValues = 16_384
  /// All that waits.
  private static let most = 20_480

  let stream: AsyncStream<Report>
  private let continuation: AsyncStream<Report>.Continuation
  private let waiting = Guarded(0)

  init() { (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .unbounded) }

  /// - Returns: whether it will be handled.
  @discardableResult
  func tell(_ report: Report) -> Bool {
    let limit = if case .notified = report { Self.mostValues } else { Self.most }
    let hasRoom = waiting.with { count in
      guard count < limit else { return false }
      count += 1
      return true
    }
    if hasRoom { continuation.yield(report) }
    return hasRoom
  }

  /// A report of the stream was taken.
  func taken() { waiting.with { $0 -= 1 } }

  func finish() { continuation.finish() }
}

/// What has come by a subscription. Counted where the session tells it, so that nothing is missing, however fast it comes.
struct SubscriptionCounts: Sendable {
  var values = 0
  var octets = 0
  /// Values that are in no history and no event, because they came faster than they could be handled.
  var dropped = 0
}
