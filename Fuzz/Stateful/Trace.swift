import Glibc

/// What an input leads to, line by line on standard error, for who reads a finding: `BLE_FUZZ_TRACE=1`.
enum Trace {
  private static let isOn = getenv("BLE_FUZZ_TRACE") != nil

  static func note(_ text: @autoclosure () -> String) {
    guard isOn else { return }
    let line = Array((text() + "\n").utf8)
    _ = write(STDERR_FILENO, line, line.count)
  }
}
