import Testing

@testable import BLEWeb

@Suite("Who may send requests to the explorer")
struct SiteGuardTests {
  private static let digits = String(repeating: "5a", count: 32)
  private static let wrong = String(repeating: "5b", count: 32)
  private let open = SiteGuard(
    names: ["127.0.0.1", "localhost"], port: 8080, scheme: "http", token: nil, isReadOnly: false)
  private let closed = SiteGuard(
    names: ["192.0.2.1", "Tower"], port: 8080, scheme: "https", token: AccessToken(digits), isReadOnly: false)

  private func status(
    _ sites: SiteGuard, _ headers: [String: String], _ method: String = "GET", path: String = "/api/v1/status",
    query: [String: String] = [:]
  ) -> Int? {
    sites.refusal(WebRequest(method: method, path: path, query: query, headers: headers, isAmbiguous: false))?.status
  }

  @Test(
    "I15.1 another site's name that leads to this address is refused",
    arguments: ["evil.example:8080", "127.0.0.1", "127.0.0.1:80", "", "localhost:8080:8080", "localhost.:8080"])
  func rebinding(host: String) {
    #expect(status(open, ["host": host]) == 421)
    #expect(status(open, [:]) == 421)
    #expect(status(open, ["host": "127.0.0.1:8080"]) == nil)
    #expect(status(open, ["host": "LOCALHOST:8080"]) == nil)
  }

  @Test("I15.1 browsers leave the usual port out of Host and Origin: 80, and with TLS 443")
  func usualPorts() {
    for (scheme, port) in [("http", UInt16(80)), ("https", 443)] {
      let sites = SiteGuard(names: ["[::1]"], port: port, scheme: scheme, token: nil, isReadOnly: false)
      #expect(status(sites, ["host": "[::1]", "origin": "\(scheme)://[::1]"]) == nil)
      #expect(status(sites, ["host": "[::1]:\(port)"]) == nil)
      #expect(status(sites, ["host": "[::1]:8080"]) == 421)
    }
    #expect(
      status(SiteGuard(names: ["a"], port: 80, scheme: "https", token: nil, isReadOnly: false), ["host": "a"]) == 421)
  }

  @Test(
    "I15.1 requests of another site's page are refused, whatever they ask for",
    arguments: ["GET", "POST", "PUT", "DELETE"])
  func crossSite(method: String) {
    let own = ["host": "localhost:8080", "content-type": "application/json"]
    let origins = [
      "http://evil.example", "null", "", "http://127.0.0.1:8080", "https://localhost:8080", "http://localhost:8081",
      "http://localhost:8080.evil.example", "http://localhost:8080/",
    ]
    for origin in origins { #expect(status(open, own.merging(["origin": origin]) { $1 }, method) == 403) }
    for site in ["cross-site", "same-site", "anything", ""] {
      #expect(status(open, own.merging(["sec-fetch-site": site]) { $1 }, method) == 403)
    }
    let same = ["origin": "http://localhost:8080", "sec-fetch-site": "same-origin"]
    #expect(status(open, own.merging(same) { $1 }, method) == nil)
  }

  @Test("I15.1 what a form of another site can send is refused where it would change something")
  func forms() {
    let types = [
      "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "", ";application/json",
      "text/plain; application/json", "application/json-patch", "application/jsonx",
    ]
    for type in types { #expect(status(open, ["host": "localhost:8080", "content-type": type], "POST") == 415) }
    #expect(status(open, ["host": "localhost:8080"], "POST") == 415)
    for type in ["application/json", "Application/JSON; charset=utf-8", "application/json ;charset=utf-8"] {
      #expect(status(open, ["host": "localhost:8080", "content-type": type], "POST") == nil)
    }
  }

  @Test("I15.1 without the token nothing is answered but the request that brings it")
  func token() throws {
    let host = ["host": "192.0.2.1:8080"]
    #expect(status(closed, host) == 401)
    #expect(status(closed, ["host": "tower:8080"]) == 401)
    #expect(status(closed, host.merging(["cookie": "__Host-ble-token-8080=\(Self.wrong)"]) { $1 }) == 401)
    #expect(status(closed, host.merging(["cookie": "ble-token-8080=\(Self.digits)"]) { $1 }) == 401)
    #expect(status(closed, host.merging(["cookie": "a=b; __Host-ble-token-8080=\(Self.digits)"]) { $1 }) == nil)
    #expect(status(closed, host.merging(["authorization": "Bearer \(Self.digits)"]) { $1 }) == nil)
    #expect(status(closed, host.merging(["authorization": "Basic \(Self.digits)"]) { $1 }) == 401)
    for token in ["", "5a", Self.digits + "a", String(Self.digits.dropLast()), Self.digits.uppercased()] {
      #expect(status(closed, host.merging(["authorization": "Bearer \(token)"]) { $1 }) == 401)
    }
    // The address may have it for the page alone.
    #expect(status(closed, host, path: "/api/v1/status", query: ["token": Self.digits]) == 401)
    #expect(status(closed, host, "HEAD", path: "/", query: ["token": Self.digits]) == 401)
  }

  @Test(
    "I15.1 the request that brings the token gets a cookie that neither scripts nor other sites have, and an address without it"
  )
  func entrance() throws {
    let right = WebRequest(
      method: "GET", path: "/", query: ["token": Self.digits], headers: ["host": "192.0.2.1:8080"], isAmbiguous: false)
    #expect(closed.refusal(right) == nil)
    let answer = try #require(closed.entrance(right))
    #expect(answer.status == 303)
    #expect(answer.headers.first { $0.name == "Location" }?.value == "/")
    let cookie = try #require(answer.headers.first { $0.name == "Set-Cookie" }?.value)
    let attributes = Set(cookie.split(separator: ";").map { $0.drop { $0 == " " } }.dropFirst())
    #expect(attributes == ["Path=/", "HttpOnly", "SameSite=Strict", "Secure"])
    // Cookies do not know ports: two explorers on one machine need two names.
    #expect(cookie.hasPrefix("__Host-ble-token-8080=") && open.cookie == "ble-token-8080")
    let wrong = WebRequest(
      method: "GET", path: "/", query: ["token": Self.wrong], headers: ["host": "192.0.2.1:8080"], isAmbiguous: false)
    #expect(closed.refusal(wrong)?.status == 401 && closed.entrance(wrong) == nil)
  }

  @Test("I15.1 who shows wrong tokens is slowed down, and the right one is admitted all the same")
  func failures() {
    let host = ["host": "192.0.2.1:8080"]
    let statuses = (0..<30).map { _ in status(closed, host.merging(["authorization": "Bearer x"]) { $1 }) }
    #expect(statuses.prefix(10).allSatisfy { $0 == 401 } && statuses.suffix(15).allSatisfy { $0 == 429 })
    #expect(status(closed, host.merging(["authorization": "Bearer \(Self.digits)"]) { $1 }) == nil)
    // Who shows none has not guessed.
    #expect(status(closed, host) == 401)
  }

  @Test("I15.1 the token is in no text that could be printed")
  func secrecy() {
    var text = ""
    dump(closed, to: &text)
    #expect(!"\(AccessToken(Self.digits)) \(closed)".contains("5a5a") && !text.contains("5a5a") && !text.contains("90"))
  }

  @Test(
    "I15.1 a read-only explorer changes nothing", arguments: ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "get", "X"])
  func readOnly(method: String) {
    let sites = SiteGuard(names: ["localhost"], port: 8080, scheme: "http", token: nil, isReadOnly: true)
    #expect(status(sites, ["host": "localhost:8080", "content-type": "application/json"], method) == 403)
    #expect(status(sites, ["host": "localhost:8080"]) == nil)
  }
}
