import BLECore
import Testing

/// A condition was not fulfilled in time.
public struct WaitError: Error, CustomStringConvertible {
  /// The time waited, in the world's time.
  public let limit: Duration
  /// The world's time when waiting ended.
  public let now: Duration
  /// The seed of the world.
  public let seed: UInt64
  /// The line of the test that waited.
  public let sourceLocation: SourceLocation
  /// The state of the world when waiting ended, a line for each device: its managers, its links and pending operations.
  public let standing: String

  public var description: String {
    """
    \(sourceLocation.fileID):\(sourceLocation.line): still waiting after \(limit) of the world's time, at \(now)
    \(standing)
    run it again with BLE_SEED=\(seed)
    """
  }
}
