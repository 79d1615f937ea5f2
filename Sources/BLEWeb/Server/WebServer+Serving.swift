import CMicroHTTP

extension WebServer {
  /// Called by libmicrohttpd with the head of a request, each part of its body, and its end.
  func serve(
    _ exchange: Exchange, _ connection: OpaquePointer, _ url: UnsafePointer<CChar>, _ method: UnsafePointer<CChar>,
    _ part: UnsafeRawBufferPointer, _ size: UnsafeMutablePointer<Int>
  ) -> MHD_Result {
    if exchange.begins() {
      guard let request = WebRequest(connection, target: exchange.target, url, method) else {
        return exchange.queue(Self.closing(.text(400, "the address of the request is malformed")))
      }
      // Without reading the body.
      if let refusal = refusal(request) { return exchange.queue(request.hasBody ? Self.closing(refusal) : refusal) }
      exchange.accept(request)
      return .YES
    }
    if part.count > 0 {
      size.pointee = 0
      return exchange.take(part, limit: limits.bodySize)
    }
    return exchange.answer()
  }

  private func refusal(_ request: WebRequest) -> WebResponse? {
    if let refusal = framing(request) { return Self.closing(refusal) }
    if let refusal = gate(request) { return refusal }
    guard !request.changes || changes.admits(request.client) else {
      return .later(429, "too many requests: at most \(Int(limits.changes.perSecond)) each second may change something")
    }
    return nil
  }

  /// Where two programs could see different ends of the request, it is refused, and nothing after it is read.
  private func framing(_ request: WebRequest) -> WebResponse? {
    if request.isAmbiguous { return .text(400, "a header that may come once came twice") }
    let length = request["content-length"]
    if let encoding = request["transfer-encoding"] {
      if length != nil { return .text(400, "a request has either Content-Length or Transfer-Encoding") }
      if encoding.lowercased() != "chunked" { return .text(501, "of transfer encodings only chunked is known") }
    }
    if let length, UInt64(length).map({ $0 > UInt64(limits.bodySize) }) ?? true {
      return .text(413, "the body may have \(limits.bodySize) octets")
    }
    return nil
  }

  private static func closing(_ response: WebResponse) -> WebResponse {
    var response = response
    response.headers.append(("Connection", "close"))
    return response
  }
}

extension WebRequest {
  /// Whether octets follow that are not the next request.
  fileprivate var hasBody: Bool { self["transfer-encoding"] != nil || (self["content-length"] ?? "0") != "0" }
}
