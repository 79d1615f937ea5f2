/// A request that has come completely.
struct WebRequest: Sendable {
  var method: String
  /// Decoded, without the query: `/api/v1/devices`.
  let path: String
  /// The query's members, decoded; of several with one name the last.
  let query: [String: String]
  /// By their names in lower case; of several with one name the first, except where that may not come twice
  /// (see `isAmbiguous`).
  let headers: [String: String]
  /// A header that has to be unique came twice: `Host`, `Origin`, `Content-Length`, `Authorization`.
  let isAmbiguous: Bool
  var body: [UInt8] = []
  var client = ClientAddress()

  subscript(header: String) -> String? { headers[header] }

  /// Whether it may change something.
  var changes: Bool { method != "GET" && method != "HEAD" }

  /// The cookies, by name.
  var cookies: [String: String] {
    guard let line = headers["cookie"] else { return [:] }
    var found: [String: String] = [:]
    for part in line.split(separator: ";") {
      let words = part.split(separator: "=", maxSplits: 1)
      guard words.count == 2 else { continue }
      found[String(words[0].drop { $0 == " " })] = String(words[1])
    }
    return found
  }
}
