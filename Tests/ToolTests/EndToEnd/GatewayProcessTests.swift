import BLESession
import Foundation
import TestSupport
import Testing

@testable import BLEGateway

/// `ble gateway` as a process, on an air of its own, with Debian's mosquitto.
@Suite(
  "Gateway processes", .serialized, .enabled(if: TestBroker.isInstalled, TestBroker.isMissing),
  .timeLimit(.minutes(30)))
struct GatewayProcessTests {
  private let place = Neighbourhood()

  private func configuration(_ broker: TestBroker, _ members: String, name: String = "attic") throws -> String {
    try place.file(
      "\(name).json",
      """
      {"format": "ble-gateway/1", "gateway": "\(name)",
       "broker": {"host": "127.0.0.1", "port": \(broker.port), "wait_for_subscriber": true}, \(members)}
      """)
  }

  /// Counts from 1, twenty times a second.
  private func counter(_ name: String) throws -> ToolProcess {
    let text = """
      {"name": "\(name)", "services": [{"uuid": "FFF0", "characteristics": [
        {"uuid": "FFF1", "properties": ["notify"], "notify": {"every": 0.05, "values": [{"utf8": "{n}"}]}}]}]}
      """
    return try place.serve(try place.file("\(name).json", text), device: name)
  }

  /// How often each is killed: more with `BLE_GATEWAY_KILLS`, for example 50.
  private static let kills = ProcessInfo.processInfo.environment["BLE_GATEWAY_KILLS"].flatMap { Int($0) } ?? 3

  /// What a collector's file has of one kind of event, in the order of arrival.
  private func rows(_ file: String, _ event: String) throws -> [(
    gateway: String, sequence: Int, device: String, text: String
  )] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-c", Self.reader, file, event]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    let rows = try JSONSerialization.jsonObject(with: data) as? [[Any]] ?? []
    return rows.compactMap { row in
      guard row.count == 4, let gateway = row[0] as? String, let sequence = row[1] as? Int,
        let device = row[2] as? String, let text = row[3] as? String
      else { return nil }
      return (gateway, sequence, device, text)
    }
  }

  private static let reader = """
    import json, sqlite3, sys
    rows = sqlite3.connect("file:" + sys.argv[1] + "?mode=ro", uri=True).execute(
      "SELECT gateway, sequence, device, payload FROM message WHERE event = ? ORDER BY id", [sys.argv[2]])
    print(json.dumps([[g, s, d, json.loads(p).get("value", {}).get("utf8")] for g, s, d, p in rows]))
    """

  @Test(
    "I17.2 with the broker killed and each gateway killed again and again, every accepted value is stored once, in order for its device"
  )
  func killed() throws {
    let broker = try TestBroker(isDurable: true)
    let devices = ["one", "two"]
    let servers = try devices.map { try counter($0) }
    let store = place.path("house.sqlite")
    let collector = try place.ble(
      "gateway", try configuration(broker, #""collect": {"file": "house.sqlite"}"#, name: "house"), "--json")
    try collector.event("broker") { $0["status"] as? String == "connected" }
    var files: [String] = []
    for (name, device) in [("attic", "one"), ("cellar", "two")] {
      files.append(
        try configuration(
          broker, #""devices": [{"name": "\#(device)", "match": {"names": ["\#(device)"]}}]"#, name: name))
    }
    var gateways = try files.map { try place.ble("gateway", $0, "--json") }
    for gateway in gateways { try gateway.event("ready") }
    for kill in 0..<Self.kills {
      // In the middle of whatever they do: values come all the time.
      for server in servers { try server.event("notified") }
      if kill % 2 == 0 { broker.kill() } else { broker.stop() }
      usleep(useconds_t.random(in: 0...300_000))
      try broker.start()
      let index = kill % gateways.count
      gateways[index].kill9()
      gateways[index] = try place.ble("gateway", files[index], "--json")
      for gateway in gateways { try gateway.event("ready") }
      try gateways[index].event("broker", within: 60) { $0["status"] as? String == "connected" }
    }
    for gateway in gateways {
      gateway.send(SIGINT)
      #expect(try gateway.finish().status == 130, "\(gateway.transcript)")
    }
    // What is left in the outboxes is delivered by gateways that keep no device.
    for name in ["attic", "cellar"] {
      let outbox = try Outbox(
        place.path("\(name).outbox"), gateway: name, lossDraft: { _ in OutboxDraft(.loss, topic: "x", payload: "{}") })
      #expect(outbox.contents.losses.total == 0)
    }
    let drains = try ["attic", "cellar"].map { name in
      try place.ble(
        "gateway", try configuration(broker, #""listen": [{"match": {"names": ["none"]}, "every": 3600}]"#, name: name),
        "--json")
    }
    for drain in drains { try drain.event("broker") { $0["status"] as? String == "connected" } }
    let deadline = Date().addingTimeInterval(60)
    var sequences: [String: [Int]] = [:]
    while Date() < deadline {
      usleep(200_000)
      let found = try rows(store, "value").reduce(into: [String: [Int]]()) {
        $0[$1.gateway, default: []].append($1.sequence)
      }
      if found == sequences, !found.isEmpty { break }
      sequences = found
    }
    for drain in drains {
      drain.send(SIGINT)
      _ = try drain.finish()
    }
    collector.send(SIGINT)
    _ = try collector.finish()
    let values = try rows(store, "value")
    for device in devices {
      let own = values.filter { $0.device == device }
      #expect(own.count > 10)
      #expect(Set(own.map(\.sequence)).count == own.count)
      #expect(own.map(\.sequence) == own.map(\.sequence).sorted(), "\(device) is out of order")
      // The device counts across links: what it says next is always greater.
      let numbers = own.compactMap { Int($0.text) }
      #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count, "\(device): \(numbers)")
    }
  }

  @Test("I17.1 ble gateway --check tells the mistakes of a file with 65, and what a right one is")
  func check() throws {
    let wrong = try place.file("wrong.json", #"{"format": "ble-gateway/1", "gateway": "a b", "broker": {}}"#)
    let refused = try place.run("gateway", "--check", wrong)
    #expect(refused.status == 65 && refused.errors.count == 2, "\(refused.transcript)")
    #expect(refused.errors.allSatisfy { $0.contains("wrong.json:1:") })
    let right = try place.file(
      "right.json", #"{"format": "ble-gateway/1", "gateway": "attic", "broker": {"host": "127.0.0.1"}, "listen": [{}]}"#
    )
    let plain = try place.run("gateway", "--check", right)
    #expect(
      plain.status == 0 && plain.lines.count == 1 && plain.lines[0].contains("no mistakes"), "\(plain.transcript)")
    #expect(plain.lines[0].contains("The gateway attic listens to advertisements; its broker is 127.0.0.1"))
    let json = try place.run("gateway", "--check", right, "--json")
    #expect(json.status == 0 && json.document?["gateway"] as? String == "attic")
    #expect(json.document?["listens"] as? Bool == true && json.document?["presence"] as? Bool == false)
    #expect(try place.run("gateway", "--check", place.path("missing.json")).status == 66)
  }

  @Test("I17.4 ble gateway --check reads the files of keys too, without showing what is in them")
  func checkOfKeys() throws {
    let key = "231d39c1d7cc1ab1aee224cd096db932"
    let keys = try place.file("keys.json", #"{"54:48:E6:8F:80:A5": "\#(key)0"}"#)
    #expect(chmod(keys, 0o600) == 0)
    let configuration = try place.file(
      "attic.json",
      #"{"format": "ble-gateway/1", "gateway": "attic", "broker": {"host": "127.0.0.1"}, "listen": [{}], "sensor_keys": {"file": "keys.json"}}"#
    )
    let long = try place.run("gateway", "--check", configuration)
    #expect(long.status == 65 && long.transcript.contains("keys.json:1:23"), "\(long.transcript)")
    #expect(!long.transcript.contains(key))
    #expect(chmod(keys, 0o644) == 0)
    let open = try place.run("gateway", "--check", configuration)
    #expect(open.status == 65 && !open.transcript.contains(key), "\(open.transcript)")
  }
}
