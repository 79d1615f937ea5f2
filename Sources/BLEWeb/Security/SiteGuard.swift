/// Judges who sends a request, before anything else is done with it.
///
/// A page of another site that is open in the same browser can reach this server in two ways: it sends requests to the
/// server's address (cross-site request forgery), or it lets its own name lead to the server's address (DNS rebinding).
/// The first shows in `Origin` and `Sec-Fetch-Site`, the second in `Host`.
struct SiteGuard: Sendable {
  /// What `Host` may be: `127.0.0.1:8080`, `localhost:8080`, in lower case.
  let hosts: Set<String>
  /// `http` or `https`.
  let scheme: String
  /// Demanded of every request; `nil` where only this machine can connect. All copies have the same one.
  private let token: CurrentToken?
  /// Whether nothing may be changed.
  let isReadOnly: Bool
  /// The name of the cookie. Ports of one address have their cookies together, so that each needs a name of its own.
  /// With the prefix a browser takes it from a server with TLS alone, and for this host alone.
  let cookie: String
  /// Wrong tokens. The right one is always admitted: guessing 256 bits is hopeless, and on the loopback address another
  /// user could otherwise lock out the rightful one, who has the same address.
  private let failures = RateLimiter(Rate(burst: 10, perSecond: 0.2))

  /// - Parameter names: names and addresses under which the server is opened; IPv6 addresses in brackets.
  init(names: [String], port: UInt16, scheme: String, token: AccessToken?, isReadOnly: Bool) {
    let names = names.map { $0.lowercased() }
    var hosts = Set(names.map { "\($0):\(port)" })
    // Browsers leave the usual port out.
    if port == (scheme == "https" ? 443 : 80) { hosts.formUnion(names) }
    self.hosts = hosts
    self.scheme = scheme
    self.token = token.map(CurrentToken.init)
    self.isReadOnly = isReadOnly
    cookie = (scheme == "https" ? "__Host-" : "") + "ble-token-\(port)"
  }

  func refusal(_ request: WebRequest) -> WebResponse? {
    guard let host = request["host"]?.lowercased(), hosts.contains(host) else {
      return .text(421, "this server has another name: open it by the address that it has printed")
    }
    if let origin = request["origin"]?.lowercased(), origin != "\(scheme)://\(host)" {
      return .text(403, "requests of other sites are refused")
    }
    if let site = request["sec-fetch-site"], site != "same-origin", site != "none" {
      return .text(403, "requests of other sites are refused")
    }
    // A form of another site can send neither this type, nor an Origin of ours.
    if request.changes, !Self.isJSON(request["content-type"]) {
      return .text(415, "the body has to be application/json")
    }
    if let refusal = tokenRefusal(request) { return refusal }
    if request.changes, isReadOnly { return .text(403, "this server is read-only") }
    return nil
  }

  private static func isJSON(_ type: String?) -> Bool {
    type?.split(separator: ";", omittingEmptySubsequences: false).first?.lowercased().split(separator: " ") == [
      "application/json"
    ]
  }

  /// Puts another token in the place of the one that was demanded.
  /// - Returns: whether it is another. What was begun with the former one has to end.
  func replaceToken(_ new: AccessToken) -> Bool { token?.replace(new) ?? false }

  /// The part of `refusal` whose answer may have changed since it was asked for: the token.
  func tokenRefusal(_ request: WebRequest) -> WebResponse? {
    guard let token = token?.value else { return nil }
    guard let given = given(request) else {
      return .text(401, "a token is needed: open the address that was printed, or send Authorization: Bearer <token>")
    }
    if token.matches(given) { return nil }
    if failures.admits(request.client) { return .text(401, "this is not the token of this server, or not any more") }
    var response = WebResponse.text(429, "too many wrong tokens")
    response.headers.append(("Retry-After", "5"))
    return response
  }

  /// The token that a request shows.
  private func given(_ request: WebRequest) -> String? {
    if isEntrance(request) { return request.query["token"] }
    guard let line = request["authorization"] else { return request.cookies[cookie] }
    return line.hasPrefix("Bearer ") ? String(line.dropFirst(7)) : nil
  }

  /// The one request in whose address the token may be: it is answered with the cookie, and an address without it.
  func isEntrance(_ request: WebRequest) -> Bool {
    request.method == "GET" && request.path == "/" && request.query["token"] != nil
  }

  /// The answer to the entrance; `nil` for other requests.
  func entrance(_ request: WebRequest) -> WebResponse? {
    guard let token = token?.value, isEntrance(request), let given = request.query["token"], token.matches(given)
    else { return nil }
    var response = WebResponse.text(303, "")
    let secure = scheme == "https" ? "; Secure" : ""
    response.headers += [
      ("Location", "/"), ("Set-Cookie", "\(cookie)=\(given); Path=/; HttpOnly; SameSite=Strict\(secure)"),
    ]
    return response
  }
}
