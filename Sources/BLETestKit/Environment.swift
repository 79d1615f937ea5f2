import BLECore
import Glibc

/// A variable of the environment.
func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

extension StandardErrorLog {
  /// The log that `BLE_LOG` in the environment asks for, if it does.
  static var fromEnvironment: StandardErrorLog? {
    guard let text = environment("BLE_LOG"), let level = LogLevel.allCases.first(where: { "\($0)" == text }) else {
      return nil
    }
    return StandardErrorLog(minimumLevel: level)
  }
}
