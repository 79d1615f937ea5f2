import BLECore
import Glibc

/// The log lines of a world on standard error, as far as `BLE_LOG` in the environment asks for them.
final class StandardErrorLog: LogSink {
  let minimumLevel: LogLevel

  private init(_ level: LogLevel) { minimumLevel = level }

  static var fromEnvironment: StandardErrorLog? {
    guard let text = environment("BLE_LOG"), let level = LogLevel.allCases.first(where: { "\($0)" == text }) else {
      return nil
    }
    return StandardErrorLog(level)
  }

  func write(_ level: LogLevel, label: String, _ message: String) {
    let line = Array("\(level) \(label): \(message)\n".utf8)
    _ = line.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}

/// A variable of the environment.
func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
