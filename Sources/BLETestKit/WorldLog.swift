import BLECore
import Synchronization

/// One line that a device of a world, or Core Bluetooth on it, has logged.
public struct LogLine: Sendable, Equatable, CustomStringConvertible {
  /// The level.
  public let level: LogLevel
  /// The device's name, and the part of its stack that logged.
  public let label: String
  /// The message.
  public let text: String

  public var description: String { "\(level) \(label): \(text)" }
}

/// Keeps the latest log lines of a world for tests, and prints on standard error what `BLE_LOG` asks for.
package final class WorldLog: LogSink {
  /// The maximum number of lines; when it is reached, the older half is discarded.
  private static let limit = 2_000

  package let minimumLevel: LogLevel
  private let shown = StandardErrorLog.fromEnvironment
  private let lines = Mutex<[LogLine]>([])

  /// - Parameter level: lines below it are not kept.
  init(keeping level: LogLevel = .info) {
    minimumLevel = min(level, shown?.minimumLevel ?? level)
  }

  package var all: [LogLine] { lines.withLock { $0 } }

  func removeAll() { lines.withLock { $0 = [] } }

  package func write(_ level: LogLevel, label: String, _ message: String) {
    keep(LogLine(level: level, label: label, text: message))
    if let shown, level >= shown.minimumLevel { shown.write(level, label: label, message) }
  }

  /// Prints a message for the readers of a test's output, and keeps it.
  func say(_ message: String) {
    keep(LogLine(level: .warning, label: "world", text: message))
    StandardErrorLog.writeLine("BLETestKit: \(message)")
  }

  private func keep(_ line: LogLine) {
    lines.withLock { lines in
      if lines.count >= Self.limit { lines.removeFirst(Self.limit / 2) }
      lines.append(line)
    }
  }
}

extension World {
  /// What the devices of this world, and Core Bluetooth on them, have logged at `info` or above: the latest lines, oldest first.
  /// A wrong use of Core Bluetooth is logged in Apple's words: `API MISUSE: ...`.
  public var logLines: [LogLine] { worldLog.all }

  /// Discards the log lines so far.
  public func removeLogLines() { worldLog.removeAll() }
}
