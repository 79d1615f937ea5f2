import BLESessionStore
import Foundation
import Testing

@testable import BLEGateway
@testable import ble

/// `ble history` of a file that a gateway has collected.
@Suite("History of gateways", .serialized, .timeLimit(.minutes(5)))
struct CollectedHistoryTests {
  private let place = Neighbourhood()
  private var file: String { place.path("house.sqlite") }

  private func collect() throws {
    let collected = try CollectedFile(file)
    let common = #""identifier":null,"address":"C0:FF:EE:00:00:01","name":"=Owenli\u001b[31m""#
    let messages = [
      (
        "attic", "owenli", "value",
        #""service":"180F","characteristic":"2A19","value":{"hex":"57","utf8":"W"},"quantity":{"value":87,"unit":"%"}"#
      ),
      (
        "attic", "owenli", "notification",
        #""notification":"bolt","fields":{"bolt":{"value":1,"word":"open","unit":null}}"#
      ),
      ("hall", "lamp", "value", #""service":"FF10","characteristic":"FF13","value":{"hex":"2a","utf8":"*"}"#),
      ("hall", "lamp", "rssi", #""rssi":-61,"smoothed":-60.5"#),
      ("hall", "lamp", "discovered", #""rssi":-70,"smoothed":null"#),
      ("hall", "lamp", "disconnected", #""reason":"lost""#),
    ]
    let entries = try messages.enumerated().map { number, message in
      let text =
        #"{"key":"\#(message.0)/box/\#(number + 1)","event":"\#(message.2)","time":"2026-11-27T10:00:0\#(number).000Z","gateway":"\#(message.0)","device":"\#(message.1)",\#(common),\#(message.3)}"#
      return try #require(CollectedFile.Entry(BrokerMessage(topic: "ble/x", payload: Data(text.utf8))))
    }
    _ = try collected.store(entries, at: Date())
  }

  private func json(_ arguments: String...) throws -> [[String: Any]] {
    let result = try place.run(["history"] + arguments + ["--json"])
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.transcript)")
    return result.lines.compactMap { ToolProcess.object($0) }
  }

  @Test("I17.5 ble history shows what gateways have published as tables, JSON and CSV, with the filters of recordings")
  func history() throws {
    try collect()
    let summary = try #require(try json("--broker", file).first)
    #expect(summary["gateways"] as? Int == 2 && summary["values"] as? Int == 3 && summary["rssi"] as? Int == 2)
    #expect(try json(file, "values").map { $0["device"] as? String } == ["owenli", "owenli", "lamp"])
    let battery = try #require(try json(file, "values", "--characteristic", "2A19").first)
    #expect(
      (battery["value"] as? [String: Any])?["hex"] as? String == "57" && battery["key"] as? String == "attic/box/1")
    #expect(try json(file, "values", "--device", "lamp").count == 1)
    #expect(try json(file, "values", "--device", "C0:FF:EE:00:00:01", "--last", "2").count == 2)
    #expect(
      try json(file, "rssi", "--gateway", "hall").map { $0["source"] as? String } == ["connection", "advertisement"])
    #expect(try json(file, "rssi", "--from", "2026-11-27T10:00:04").map { $0["rssi"] as? Int } == [-70])
    #expect(try json(file, "devices").map { $0["messages"] as? Int } == [2, 4])
    #expect(try json(file, "devices", "--device", "owenli", "--last", "1").count == 1)
    #expect(try json(file, "devices", "--last", "1").map { $0["device"] as? String } == ["lamp"])
    let event = try #require(try json(file, "events").first)
    #expect(
      event["kind"] as? String == "disconnected" && (event["detail"] as? [String: Any])?["reason"] as? String == "lost")
    let table = try place.run("history", file, "values")
    #expect(table.lines.count == 4 && table.lines.arePlain && table.lines[2].contains("open"), "\(table.transcript)")
    let csv = try place.run("history", "--broker", file, "values", "--csv")
    #expect(csv.lines.first?.hasPrefix("time,gateway,device,identifier,name,service") == true)
    #expect(csv.lines.count == 4 && csv.lines[1].contains("'=Owenli") && csv.lines.arePlain, "\(csv.transcript)")
  }

  @Test("I17.5 what a collected file does not have, and a file that is none, are errors that say what to do")
  func mistakes() throws {
    try collect()
    for arguments in [[file, "sessions"], [file, "connections"], [file, "values", "--session", "1"]] {
      let result = try place.run(["history"] + arguments)
      #expect(result.status == 64 && result.errors.first?.contains("devices, values, rssi and events") == true)
    }
    let other = try place.file("other.json", "{}")
    #expect(try place.run("history", "--broker", other).status == 65)
    #expect(try place.run("history", "--broker", place.path("missing.sqlite")).status == 66)
  }
}
