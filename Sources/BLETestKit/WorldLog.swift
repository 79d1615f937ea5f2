import BLECore
import Synchronization

/// One line that a device of a world, or Core Bluetooth on it, wrote to its log.
public struct LogLine: Sendable, Equatable, CustomStringConvertible {
  /// How much it matters.
  public let level: LogLevel
  /// The device's name, and where in its stack the line was written.
  public let label: String
  /// What happened.
  public let text: String

  public var description: String { "\(level) \(label): \(text)" }
}

/// Keeps the latest log lines of a world, for tests to look at, and shows on standard error what `BLE_LOG` asks for.
package final class WorldLog: LogSink {
  /// Older lines are forgotten, half of them at a time.
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

  /// Says something to those who read the output of tests, and keeps it.
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
  /// What the devices of this world, and Core Bluetooth on them, have logged at `info` or above: the latest lines, oldest
  /// first. A program that uses Core Bluetooth wrongly shows here, in Apple's words: `API MISUSE: ...`.
  public var logLines: [LogLine] { worldLog.all }

  /// Forgets the log lines so far.
  public func forgetLogLines() { worldLog.removeAll() }
}
