/// What is answered to a request.
struct WebResponse: Sendable {
  enum Content: Sendable {
    case octets([UInt8])
    /// Events that come as long as the client listens.
    case stream(EventStream)
  }

  var status: Int
  var headers: [(name: String, value: String)]
  var content: Content

  init(_ status: Int, _ type: String, _ octets: [UInt8]) {
    self.status = status
    self.headers = [("Content-Type", type)]
    self.content = .octets(octets)
  }

  /// A stream of server-sent events (WHATWG HTML, 9.2).
  init(_ stream: EventStream) {
    self.status = 200
    self.headers = [("Content-Type", "text/event-stream"), ("X-Accel-Buffering", "no")]
    self.content = .stream(stream)
  }

  static func text(_ status: Int, _ text: String) -> WebResponse {
    WebResponse(status, "text/plain; charset=utf-8", Array("\(text)\n".utf8))
  }

  /// A refusal that does not last: a client may ask again after a second.
  static func later(_ status: Int, _ text: String) -> WebResponse {
    var response = WebResponse.text(status, text)
    response.headers.append(("Retry-After", "1"))
    return response
  }

  /// The headers of every response: nothing from elsewhere runs, frames or reads the page, and nothing is kept by the
  /// browser.
  static let protection: [(name: String, value: String)] = [
    (
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cache-Control", "no-store"),
  ]
}
