import Glibc

/// Writes log lines to standard error, with one write for each.
public final class StandardErrorLog: LogSink {
  public let minimumLevel: LogLevel
  public init(minimumLevel: LogLevel) { self.minimumLevel = minimumLevel }

  public func write(_ level: LogLevel, label: String, _ message: String) {
    Self.writeLine("\(level) \(label): \(message)")
  }

  /// Writes `text` and a newline. Control characters are replaced: text from a peer, in a name or a value, must neither move a
  /// terminal's cursor nor begin another line.
  public static func writeLine(_ text: String) {
    var line = ""
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: line.unicodeScalars.append("\u{FFFD}")
      default: line.unicodeScalars.append(scalar)
      }
    }
    let octets = Array((line + "\n").utf8)
    octets.withUnsafeBytes { buffer in _ = Glibc.write(STDERR_FILENO, buffer.baseAddress, buffer.count) }
  }
}
