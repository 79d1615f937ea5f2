internal import BLECore

/// Ends the program with the same text where Apple's framework raises an exception, which Swift can't catch.
func raise(_ reason: String, file: StaticString = #file, line: UInt = #line) -> Never {
  fatalError(reason, file: file, line: line)
}

extension Logger {
  /// Logs one line, in Apple's words, for a mistake of the program that does not justify ending it.
  func misuse(_ text: @autoclosure () -> String) { log(.error, "API MISUSE: \(text())") }
}

extension NSObject {
  /// `<CBCentralManager: 0x000055d0c0a81e40>`
  var nameAndAddress: String { "\(type(of: self)): \(addressText)" }

  private var addressText: String {
    let digits = String(UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()), radix: 16)
    return "0x" + digits
  }
}
