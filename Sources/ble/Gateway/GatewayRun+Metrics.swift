import BLEGateway
import BLEWeb
import Glibc

extension GatewayRun {
  /// Serves metrics where the configuration wants them.
  func startMetrics(of gateway: Gateway) throws(ToolError) -> MetricsServer? {
    guard let port = gateway.configuration.metricsPort else { return nil }
    let answers = MetricsServer.Answers(
      metrics: { await gateway.metricsText() },
      obstacle: { gateway.isConnected ? nil : "there is no link to the broker" })
    let server: MetricsServer
    do throws(WebError) {
      server = try MetricsServer(port: port, answers)
    } catch .listen(EADDRINUSE) {
      let holder = PortHolder.description(of: port).map { " by \($0)" } ?? ""
      throw ToolError(.unavailable, "The port of \"metrics\", \(port), is taken\(holder): choose another.")
    } catch {
      throw ToolError(error, address: MetricsServer.address, port: port)
    }
    let address = "http://\(MetricsServer.address):\(server.port)/metrics"
    output.event("metrics", ["address": .string(address)], "Metrics are at \(address)")
    return server
  }
}
