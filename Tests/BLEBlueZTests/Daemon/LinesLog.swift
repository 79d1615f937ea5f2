import BLECore
import Synchronization

/// Keeps what is logged.
final class LinesLog: LogSink {
  private let kept = Mutex<[String]>([])
  let minimumLevel = LogLevel.info
  var lines: [String] { kept.withLock { $0 } }
  func write(_ level: LogLevel, label: String, _ message: String) { kept.withLock { $0.append(message) } }
}
