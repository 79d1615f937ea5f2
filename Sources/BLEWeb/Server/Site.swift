import BLEReports
import Glibc

/// The explorer on the network: the page, the interface for programs, and the events, behind the guard.
final class Site: Sendable {
  private let servers: RenewedServer
  private let sites: SiteGuard
  private let hub: EventHub

  /// - Throws: `WebError`.
  init(
    explorer: Explorer, listener: Int32, sites: SiteGuard, identity: WebServer.Identity?,
    limits: WebServer.Limits = WebServer.Limits()
  ) throws(WebError) {
    (self.sites, hub) = (sites, explorer.hub)
    servers = try RenewedServer(listener: listener, identity: identity) { listener, identity throws(WebError) in
      try WebServer(listener: listener, identity: identity, limits: limits, gate: { sites.refusal($0) }) { request in
        // While its body came the token may have been replaced.
        if let refusal = sites.tokenRefusal(request) { return refusal }
        if let entrance = sites.entrance(request) { return entrance }
        let response = await Self.answer(request, explorer)
        // A stream that began after all others were ended, with the token from before.
        if let stream = response.stream, let refusal = sites.tokenRefusal(request) {
          stream.end()
          return refusal
        }
        return response
      }
    }
  }

  /// New connections are served with this certificate. Streams of events stay.
  /// - Throws: `WebError.start`; then all is as it was.
  func renew(_ identity: WebServer.Identity) throws(WebError) { try servers.renew(identity) }

  /// What was begun with the former token ends.
  /// - Returns: whether the token is another one.
  func replaceToken(_ token: AccessToken) -> Bool {
    guard sites.replaceToken(token) else { return false }
    hub.endStreams()
    return true
  }

  func stop() { servers.stop() }

  private static func answer(_ request: WebRequest, _ explorer: Explorer) async -> WebResponse {
    if request.path == "/api/v1/events" { return events(request, explorer.hub) }
    var request = request
    // The answer to GET, of which libmicrohttpd sends the headers.
    if request.method == "HEAD" { request.method = "GET" }
    if request.path == "/api/v1/packets.btsnoop", request.method == "GET" { return explorer.btsnoop() }
    if let answer = await API.answer(request, explorer) { return answer }
    if let answer = await Health.answer(request, explorer) { return answer }
    guard request.method == "GET" else { return .text(405, "this path has other methods") }
    guard let asset = Asset.named(request.path) else { return .text(404, "there is nothing at this path") }
    return WebResponse(200, asset.type, asset.octets)
  }

  private static func events(_ request: WebRequest, _ hub: EventHub) -> WebResponse {
    guard request.method == "GET" else { return .text(405, "events are read with GET") }
    // A browser that connects again sends the header; the first time the page says what it has read.
    let last = (request["last-event-id"] ?? request.query["after"]).flatMap(UInt64.init)
    guard let stream = hub.stream(after: last) else { return .later(503, "too many listen: close another page") }
    return WebResponse(stream)
  }
}

/// A file of the page, which is in the program.
struct Asset: Sendable {
  let type: String
  let octets: [UInt8]

  /// The file at a path: there are no others, and nothing is read from the disk.
  static func named(_ path: String) -> Asset? {
    switch path {
    case "/": Asset(type: "text/html; charset=utf-8", octets: PackageResources.index_html)
    case "/app.css": Asset(type: "text/css; charset=utf-8", octets: PackageResources.app_css)
    default: script(path).map { Asset(type: "text/javascript; charset=utf-8", octets: $0) }
    }
  }

  private static func script(_ path: String) -> [UInt8]? {
    switch path {
    case "/advertisement.js": PackageResources.advertisement_js
    case "/app.js": PackageResources.app_js
    case "/channel.js": PackageResources.channel_js
    case "/characteristic.js": PackageResources.characteristic_js
    case "/chart.js": PackageResources.chart_js
    case "/chat.js": PackageResources.chat_js
    case "/choosing.js": PackageResources.choosing_js
    case "/clone.js": PackageResources.clone_js
    case "/compose.js": PackageResources.compose_js
    case "/csv.js": PackageResources.csv_js
    case "/descriptors.js": PackageResources.descriptors_js
    case "/device.js": PackageResources.device_js
    case "/dom.js": PackageResources.dom_js
    case "/faults.js": PackageResources.faults_js
    case "/fleet.js": PackageResources.fleet_js
    case "/history.js": PackageResources.history_js
    case "/kept.js": PackageResources.kept_js
    case "/live.js": PackageResources.live_js
    case "/log.js": PackageResources.log_js
    case "/macros.js": PackageResources.macros_js
    case "/pairing.js": PackageResources.pairing_js
    case "/radio.js": PackageResources.radio_js
    case "/recording.js": PackageResources.recording_js
    case "/rate.js": PackageResources.rate_js
    case "/row.js": PackageResources.row_js
    case "/scan.js": PackageResources.scan_js
    case "/serve.js": PackageResources.serve_js
    case "/strengths.js": PackageResources.strengths_js
    case "/structures.js": PackageResources.structures_js
    case "/throughput.js": PackageResources.throughput_js
    case "/timeline.js": PackageResources.timeline_js
    case "/values.js": PackageResources.values_js
    case "/vendor.js": PackageResources.vendor_js
    case "/words.js": PackageResources.words_js
    default: nil
    }
  }
}
