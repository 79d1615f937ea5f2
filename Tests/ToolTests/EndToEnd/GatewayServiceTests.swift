import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// `ble gateway` as systemd starts it: it is reloaded by SIGHUP, and serves metrics.
@Suite(
  "ble gateway as a service", .serialized, .enabled(if: TestBroker.isInstalled, TestBroker.isMissing),
  .timeLimit(.minutes(5)))
struct GatewayServiceTests {
  private let place = Neighbourhood()

  private func write(_ broker: TestBroker, _ members: String, name: String = "attic") throws -> String {
    try place.file(
      "attic.json",
      """
      {"format": "ble-gateway/1", "gateway": "\(name)", "broker": {"host": "127.0.0.1", "port": \(broker.port)},
       "metrics": {"port": 0}, \(members)}
      """)
  }

  private func get(_ address: String) async throws -> (status: Int?, text: String) {
    let (data, response) = try await URLSession.shared.data(from: try #require(URL(string: address)))
    return ((response as? HTTPURLResponse)?.statusCode, String(decoding: data, as: UTF8.self))
  }

  private static func device(_ name: String) -> String { #"{"name": "\#(name)", "match": {"names": ["\#(name)"]}}"# }

  @Test("I17.5 metrics are served to this machine, and whether there is a link to the broker")
  func metrics() async throws {
    let broker = try TestBroker()
    let members = #""devices": [\#(Self.device("one"))], "presence": {"track": {"two": "Two"}}"#
    let gateway = try place.ble("gateway", try write(broker, members), "--json")
    let address = try #require(try gateway.event("metrics")["address"] as? String)
    #expect(address.hasPrefix("http://127.0.0.1:"))
    try gateway.event("broker") { $0["status"] as? String == "connected" }
    let health = address.replacing("/metrics", with: "/health/")
    #expect(try await get(health + "ready").status == 200)
    #expect(try await get(health + "live").status == 200)
    let lines = Set(try await get(address).text.split(separator: "\n").map(String.init))
    #expect(lines.contains("ble_gateway_broker_connected 1") && lines.contains("# TYPE ble_sessions gauge"))
    #expect(lines.contains("ble_gateway_messages_total{result=\"refused\"} 0"))
    #expect(lines.contains("ble_gateway_presence_devices 1"), "\(lines)")
    #expect(lines.contains("ble_gateway_presence_ignored_total{reason=\"not-understood\"} 0"), "\(lines)")
    #expect(lines.contains { $0.hasPrefix("ble_adapter_resets_total{adapter=\"radio") }, "\(lines)")
    #expect(try await get(address.replacing("/metrics", with: "/")).status == 404)
    broker.stop()
    try gateway.event("broker") { $0["status"] as? String == "disconnected" }
    #expect(try await get(health + "ready").status == 503)
    gateway.send(SIGTERM)
    #expect(try gateway.finish().status == 143)
  }

  @Test("I17.1 a reload takes over the devices of the file, and a file with mistakes changes nothing")
  func reload() async throws {
    let broker = try TestBroker()
    let path = try write(broker, #""devices": [\#(Self.device("one"))]"#)
    // Started by systemd, as far as it can see.
    let gateway = try place.shell(
      "NOTIFY_SOCKET=/nonexistent/notify exec \"$BLE_TOOL\" gateway '\(path)' --json")
    try gateway.event("broker") { $0["status"] as? String == "connected" }
    _ = try write(broker, #""devices": [\#(Self.device("one")), \#(Self.device("two"))]"#)
    gateway.send(SIGHUP)
    let event = try gateway.event("reloaded")
    #expect(event["added"] as? [String] == ["two"] && event["removed"] as? [String] == [])
    _ = try write(broker, #""devices": [{"name": "one"}]"#)
    gateway.send(SIGHUP)
    try gateway.complaint(
      "Not reloaded: \(path):2:38: a device needs one of \"match\", \"identifier\", \"device_file\"")
    _ = try write(broker, #""devices": [\#(Self.device("one"))]"#, name: "cellar")
    gateway.send(SIGHUP)
    try gateway.complaint("Not reloaded: \"gateway\" has changed: that takes a restart.")
    gateway.send(SIGTERM)
    #expect(try gateway.finish().status == 143)
  }
}
