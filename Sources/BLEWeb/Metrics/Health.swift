import BLEReports
import CoreBluetooth

/// For those who watch over the service: what has been counted, and whether it works. Outside the versioned interface, where programs look for it.
enum Health {
  static func answer(_ request: WebRequest, _ explorer: Explorer) async -> WebResponse? {
    switch request.path {
    case "/metrics" where request.method == "GET":
      return WebResponse(200, MetricsText.type, Array(await explorer.metricsText().utf8))
    // The answer comes from the actor that all requests need: it shows that it is not held up.
    case "/health/live" where request.method == "GET":
      _ = await explorer.state
      return .text(200, "alive")
    case "/health/ready" where request.method == "GET":
      let state = await explorer.state
      return state == .poweredOn ? .text(200, "ready") : .text(503, "Bluetooth is \(state.word)")
    case "/metrics", "/health/live", "/health/ready": return .text(405, "this path has GET")
    default: return nil
    }
  }
}
