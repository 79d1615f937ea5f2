import Foundation
import TestSupport
import Testing

@testable import ble

/// The output of `ble gateway`, on a terminal and in a pipe.
@Suite(
  "Transcripts of the gateway", .serialized, .enabled(if: TestBroker.isInstalled, TestBroker.isMissing),
  .timeLimit(.minutes(10)))
struct GatewayTranscripts {
  private let place = Neighbourhood()
  private let broker: TestBroker
  private let file: String

  init() throws {
    broker = try TestBroker()
    file = try place.file(
      "attic.json",
      """
      {"format": "ble-gateway/1", "gateway": "attic", "broker": {"host": "127.0.0.1", "port": \(broker.port)},
       "devices": [{"name": "desk", "match": {"names": ["Owenli"]}}]}
      """)
  }

  @Test("I17.1 ble gateway on a terminal says that it reaches the broker and the device, until Ctrl-C")
  func terminal() throws {
    try place.serve("owenli")
    let terminal = try place.terminal("gateway", file)
    try terminal.see("The gateway attic connects to the broker 127.0.0.1:\(broker.port).")
    try terminal.see("Connected to the broker, with MQTT 5.")
    try terminal.see("desk: ready")
    try terminal.interrupt()
  }

  @Test("I17.1 ble gateway in a pipe prints a line for each event, as JSON where that is asked for")
  func pipe() throws {
    try place.serve("owenli")
    let plain = try place.ble("gateway", file)
    try plain.line { $0.hasPrefix("desk: ready") }
    plain.send(SIGTERM)
    let (status, lines) = try plain.finish()
    #expect(status == 143 && lines.arePlain, "\(plain.transcript)")
    let json = try place.ble("gateway", file, "--json")
    #expect(try json.event("broker")["mqtt"] as? String == "5")
    #expect(try json.event("ready")["device"] as? String == "desk")
    json.send(SIGINT)
    #expect(try json.finish().lines.allSatisfy { ToolProcess.object($0)?["event"] != nil })
  }

  @Test("I17.2 a second ble gateway in a pipe with the same outbox is refused, and says why")
  func second() throws {
    let first = try place.ble("gateway", file, "--json")
    try first.event("started")
    let second = try place.run("gateway", file)
    #expect(second.status == 74 && second.errors.contains { $0.contains("another gateway has this outbox") })
  }
}
