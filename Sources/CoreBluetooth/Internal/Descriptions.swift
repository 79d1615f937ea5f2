internal import BLECore

// Texts in the form in which Apple's systems print them, for programs' logs.

extension NSError {
  /// `Error Domain=CBErrorDomain Code=7 "The text." UserInfo={NSLocalizedDescription=The text.}`: Foundation's own text on Linux
  /// has `(null)` in its place.
  var textWithDescription: String {
    let text = userInfo[NSLocalizedDescriptionKey] as? String ?? "(null)"
    let head = "Error Domain=\(domain) Code=\(code) \"\(text)\""
    if userInfo.isEmpty { return head }
    let entries = userInfo.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    return "\(head) UserInfo={\(entries.joined(separator: ", "))}"
  }
}

extension Data {
  /// `{length = 2, bytes = 0x0102}`; of more than 24 octets the first 16 and the last 8, in groups of four.
  var textWithOctets: String {
    let octets = count <= 24 ? hexadecimal : "\(prefix(16).hexadecimalGroups) ... \(suffix(8).hexadecimalGroups) "
    return "{length = \(count), bytes = 0x\(octets)}"
  }

  private var hexadecimalGroups: String {
    stride(from: startIndex, to: endIndex, by: 4).map { self[$0..<Swift.min($0 + 4, endIndex)].hexadecimal }
      .joined(separator: " ")
  }
}

/// A line for each text, in quotation marks and between parentheses; `(null)` if there is no list.
func linesText(_ texts: [String]?) -> String {
  guard let texts else { return "(null)" }
  let lines = texts.map { "    \($0.debugDescription)" }
  return "(\n" + lines.joined(separator: ",\n") + (lines.isEmpty ? ")" : "\n)")
}
