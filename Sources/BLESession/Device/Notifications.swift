import CoreBluetooth

/// The values of one characteristic as they are notified, over every loss and return of the device.
///
/// Ends when the session is closed, or when whoever listens stops. Values that came while nobody took them wait, as many as the
/// buffering says; what was thrown away is counted.
public struct Notifications: AsyncSequence, Sendable {
  public typealias Element = Data
  public typealias Failure = Never

  /// What happens to values that nobody takes in time.
  public enum Buffering: Sendable, Hashable {
    /// The last ones are kept, older ones thrown away: for measurements.
    case newest(Int)
    /// The first ones are kept, newer ones thrown away.
    case oldest(Int)
    /// All are kept: for what must not be missed, from a device that is trusted.
    case all
  }

  let stream: AsyncStream<Data>
  let dropped: Guarded<Int>

  /// How many values were thrown away so far because nobody took them in time.
  public var droppedCount: Int { dropped.with { $0 } }

  public func makeAsyncIterator() -> AsyncStream<Data>.Iterator { stream.makeAsyncIterator() }
}
