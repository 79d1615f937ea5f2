import CMicroHTTP

extension WebRequest {
  /// The headers that decide what a request means, or who sends it: of two the second may be an attacker's.
  private static let unique: Set<String> = [
    "host", "origin", "content-length", "content-type", "authorization", "cookie", "transfer-encoding",
    "sec-fetch-site", "last-event-id",
  ]

  /// The head of a request, from libmicrohttpd. Octets of headers that are not UTF-8 are replaced.
  /// - Parameter target: the request's target as the client wrote it.
  /// - Returns: `nil` for a target that is not a path as RFC 3986 writes it.
  init?(
    _ connection: OpaquePointer, target: [UInt8], _ url: UnsafePointer<CChar>, _ method: UnsafePointer<CChar>
  ) {
    guard RequestTarget.isAcceptable(target), let path = String(validatingCString: url) else { return nil }
    var found: [String: String] = [:]
    var isAmbiguous = false
    for (name, value) in Self.values(of: .HEADER_KIND, on: connection) {
      let name = name.lowercased()
      if found[name] == nil { found[name] = value } else if Self.unique.contains(name) { isAmbiguous = true }
    }
    self.method = String(cString: method)
    self.path = path
    self.query = Dictionary(Self.values(of: .GET_ARGUMENT_KIND, on: connection)) { $1 }
    self.headers = found
    self.isAmbiguous = isAmbiguous
    self.client = ClientAddress(micro_http_client(connection))
  }

  private static func values(of kind: MHD_ValueKind, on connection: OpaquePointer) -> [(String, String)] {
    var values: [(String, String)] = []
    withUnsafeMutablePointer(to: &values) { values in
      _ = MHD_get_connection_values(
        connection, kind,
        { context, _, name, value in
          guard let name, let list = context?.assumingMemoryBound(to: [(String, String)].self) else { return .YES }
          list.pointee.append((String(cString: name), value.map { String(cString: $0) } ?? ""))
          return .YES
        }, values)
    }
    return values
  }
}

/// What stands between method and version in the first line of a request.
enum RequestTarget {
  /// Whether it is a path with visible ASCII characters, and what is encoded in it means one thing only:
  /// libmicrohttpd hands it on decoded and as a C string, in which an encoded 0 would end it, and an encoded slash
  /// would divide it.
  static func isAcceptable(_ target: [UInt8]) -> Bool {
    guard target.first == UInt8(ascii: "/") else { return false }
    var isQuery = false
    var index = 0
    while index < target.count {
      let octet = target[index]
      guard octet > 0x20, octet < 0x7F, octet != UInt8(ascii: "#") else { return false }
      index += 1
      if octet == UInt8(ascii: "?") { isQuery = true }
      guard octet == UInt8(ascii: "%") else { continue }
      guard let decoded = octetOf(target[index...].prefix(2)) else { return false }
      guard isQuery ? decoded != 0 : isAcceptable(inPath: decoded) else { return false }
      index += 2
    }
    return true
  }

  private static func isAcceptable(inPath octet: UInt8) -> Bool {
    octet >= 0x20 && octet != 0x7F && octet != UInt8(ascii: "/") && octet != UInt8(ascii: "\\")
  }

  private static func octetOf(_ digits: ArraySlice<UInt8>) -> UInt8? {
    // `UInt8(_:radix:)` takes a sign.
    guard digits.count == 2, digits.first != UInt8(ascii: "+"), digits.first != UInt8(ascii: "-") else { return nil }
    return UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
  }
}
