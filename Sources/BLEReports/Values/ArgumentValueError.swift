/// Why a typed text is no value.
package struct ArgumentValueError: Error {
  /// What was expected, as the second half of a sentence.
  package let reason: String
  package init(_ reason: String) { self.reason = reason }
}
