import Foundation
import Testing

/// Writes to standard error, for the test that waits for this process's end.
func standardError(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }

extension Optional<ExitTest.Result> {
  /// The process's standard error.
  var text: String { String(decoding: self?.standardErrorContent ?? [], as: UTF8.self) }
}
