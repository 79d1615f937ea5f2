import BLECore
import Testing

/// A condition did not come to hold in time.
public struct WaitError: Error, CustomStringConvertible {
  /// How long was waited, in the world's time.
  public let limit: Duration
  /// The world's time when waiting ended.
  public let now: Duration
  /// The seed of the world that was waited for.
  public let seed: UInt64
  /// Where the test waited.
  public let sourceLocation: SourceLocation
  /// How the world stood when waiting ended, a line for each device: its managers, its links and what was under way.
  public let standing: String

  public var description: String {
    """
    \(sourceLocation.fileID):\(sourceLocation.line): still waiting after \(limit) of the world's time, at \(now)
    \(standing)
    run it again with BLE_SEED=\(seed)
    """
  }
}
