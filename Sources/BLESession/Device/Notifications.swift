import CoreBluetooth

/// The values that one characteristic notifies, over all reconnections.
///
/// Ends when the session is released or the consumer cancels. Values that are not consumed in time are buffered as the buffering policy
/// says; dropped ones are counted.
public struct Notifications: AsyncSequence, Sendable {
  public typealias Element = Data
  public typealias Failure = Never

  /// What happens to values that are not consumed in time.
  public enum Buffering: Sendable, Hashable {
    /// The newest values are kept and older ones dropped: for measurements.
    case newest(Int)
    /// The oldest values are kept and newer ones dropped.
    case oldest(Int)
    /// All values are kept, without a limit: for data that must not be lost, from a trusted device.
    case all
  }

  let stream: AsyncStream<Data>
  let dropped: Guarded<Int>

  /// The number of values dropped so far.
  public var droppedCount: Int { dropped.with { $0 } }

  public func makeAsyncIterator() -> AsyncStream<Data>.Iterator { stream.makeAsyncIterator() }
}
