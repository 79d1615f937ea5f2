import BLEReports
import Glibc

/// The explorer on the network: the page, the interface for programs, and the events, behind the guard.
final class Site: Sendable {
  private let server: WebServer

  /// - Throws: `WebError`.
  init(
    explorer: Explorer, listener: Int32, sites: SiteGuard, identity: WebServer.Identity?,
    limits: WebServer.Limits = WebServer.Limits()
  ) throws(WebError) {
    server = try WebServer(listener: listener, identity: identity, limits: limits, gate: { sites.refusal($0) }) {
      request in
      if let entrance = sites.entrance(request) { return entrance }
      return await Self.answer(request, explorer)
    }
  }

  func stop() { server.stop() }

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
    case "/clone.js": PackageResources.clone_js
    case "/descriptors.js": PackageResources.descriptors_js
    case "/device.js": PackageResources.device_js
    case "/dom.js": PackageResources.dom_js
    case "/faults.js": PackageResources.faults_js
    case "/kept.js": PackageResources.kept_js
    case "/live.js": PackageResources.live_js
    case "/log.js": PackageResources.log_js
    case "/pairing.js": PackageResources.pairing_js
    case "/radio.js": PackageResources.radio_js
    case "/recording.js": PackageResources.recording_js
    case "/rate.js": PackageResources.rate_js
    case "/scan.js": PackageResources.scan_js
    case "/serve.js": PackageResources.serve_js
    case "/throughput.js": PackageResources.throughput_js
    case "/values.js": PackageResources.values_js
    case "/vendor.js": PackageResources.vendor_js
    case "/words.js": PackageResources.words_js
    default: nil
    }
  }
}
