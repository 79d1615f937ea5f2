/// Metrics and health of a program that is no explorer, for programs of this machine: on the loopback address, with no page and nothing that
/// can be changed.
package final class MetricsServer: Sendable {
  /// What it answers with.
  package struct Answers: Sendable {
    /// For `/metrics`, as `MetricsText` makes it.
    package var metrics: @Sendable () async -> String
    /// For `/health/ready`: why the program cannot do its work, `nil` if it can.
    package var obstacle: @Sendable () async -> String?

    package init(
      metrics: @escaping @Sendable () async -> String, obstacle: @escaping @Sendable () async -> String?
    ) {
      self.metrics = metrics
      self.obstacle = obstacle
    }
  }

  package static let address = "127.0.0.1"

  /// Where it listens, also where any port was asked for.
  package let port: UInt16
  private let server: WebServer

  /// - Parameter port: 0 for any that is free.
  /// - Throws: `WebError`, where the port is taken.
  package init(port: UInt16, _ answers: Answers) throws(WebError) {
    let listener = try Listener(address: Self.address, port: port)
    self.port = listener.port
    let sites = SiteGuard(
      names: [Self.address, "localhost"], port: listener.port, scheme: "http", token: nil, isReadOnly: true)
    server = try WebServer(
      listener: listener.socket, identity: nil, gate: { sites.refusal($0) }, handler: { await Self.answer($0, answers) }
    )
  }

  package func stop() { server.stop() }

  private static func answer(_ request: WebRequest, _ answers: Answers) async -> WebResponse {
    // The answer to GET, of which libmicrohttpd sends the headers.
    guard request.method == "GET" || request.method == "HEAD" else { return .text(405, "this server has GET") }
    switch request.path {
    case "/metrics": return WebResponse(200, MetricsText.type, Array(await answers.metrics().utf8))
    case "/health/live":
      _ = await answers.obstacle()
      return .text(200, "alive")
    case "/health/ready":
      return if let obstacle = await answers.obstacle() { .text(503, obstacle) } else { .text(200, "ready") }
    default: return .text(404, "there is nothing at this path: /metrics, /health/live and /health/ready are here")
    }
  }
}
