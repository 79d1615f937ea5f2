import BLECore
import Glibc

/// Writes log lines to standard error, one write for each.
final class StandardErrorLog: LogSink {
  let minimumLevel: LogLevel
  init(minimumLevel: LogLevel) { self.minimumLevel = minimumLevel }

  func write(_ level: LogLevel, label: String, _ message: String) {
    // What came from a peer must not move the cursor or end the line.
    var line = "\(level) \(label): "
    for scalar in message.unicodeScalars {
      line.unicodeScalars.append(scalar.properties.generalCategory == .control ? "\u{FFFD}" : scalar)
    }
    line += "\n"
    var octets = Array(line.utf8)
    octets.withUnsafeMutableBytes { buffer in _ = Glibc.write(2, buffer.baseAddress, buffer.count) }
  }
}
