import Foundation

/// A line on the standard error that is overwritten while something is under way; only where that is a terminal.
@MainActor final class ProgressLine {
  static let isTerminal = isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"

  private var isShown = false

  func show(_ text: String) {
    Self.write("\r\u{1B}[K" + String(text.prefix(max(10, TerminalSize.of(STDERR_FILENO)?.columns ?? 80) - 1)))
    isShown = true
  }

  func clear() {
    if isShown { Self.write("\r\u{1B}[K") }
    isShown = false
  }

  private static func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
