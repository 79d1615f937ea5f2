import Foundation
import Testing

/// Says something on standard error, for the test that waits for this process's end.
func standardError(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }

extension Optional<ExitTest.Result> {
  /// What the process said on standard error.
  var text: String { String(decoding: self?.standardErrorContent ?? [], as: UTF8.self) }
}
