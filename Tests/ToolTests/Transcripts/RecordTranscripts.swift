import Foundation
import Testing

@testable import ble

/// The output of `ble record` and `ble history`, on a terminal and in a pipe.
@Suite("Transcripts of records", .serialized, .timeLimit(.minutes(10)))
struct RecordTranscripts {
  private let place = Neighbourhood()

  private var file: String { place.path("seen.sqlite") }

  @Test("ble record on a terminal shows rates on one line, and Ctrl-C ends it with 130")
  func bleRecordOnATerminalShowsRatesOnOneLine() throws {
    let server = try place.serve("owenli")
    let terminal = try place.terminal("record", "Owenli", file)
    try terminal.see("Connected to 'Owenli'.")
    try terminal.see(" values (")
    try terminal.interrupt()
    try terminal.see("values, into")
    // Overwritten, not printed again and again.
    #expect(!terminal.model.text.contains("/s)"), "\(terminal.transcript)")
    try server.event("unsubscribed")
  }

  @Test("ble record in a pipe prints nothing on the standard output, and with --json the committed rows")
  func bleRecordInAPipePrintsNothingOnTheStandard() throws {
    try place.serve("owenli")
    let plain = try place.run("record", "Owenli", file, "--duration", "2")
    #expect(plain.status == 0 && plain.lines.isEmpty && plain.errors.arePlain)
    #expect(plain.errors.first?.hasPrefix("Recording into") == true)
    #expect(plain.errors.last?.hasPrefix("Recorded ") == true)
    let json = try place.run("record", "Owenli", file, "--duration", "2", "--json")
    #expect(json.status == 0 && json.lines.arePlain && json.errors.isEmpty)
    let events = json.lines.compactMap { ToolProcess.object($0)?["event"] as? String }
    #expect(events.first == "recording" && events.last == "recorded" && events.contains("committed"))
  }

  private func record() throws {
    try place.serve("owenli")
    #expect(try place.run("record", "Owenli", file, "--duration", "3", "--quiet").status == 0)
  }

  @Test("ble history on a terminal is a table with a heading")
  func bleHistoryOnATerminalIsATable() throws {
    try record()
    let terminal = try place.runOnTerminal("history", file, "values")
    #expect(terminal.model.text.contains("CHARACTERISTIC") && terminal.octets.contains(0x1B))
    #expect(terminal.model.text.replacing("\n", with: "").contains("send data : 1"))
    let counts = try place.runOnTerminal("history", file)
    #expect(counts.model.text.contains(/connections +1/))
  }

  @Test("ble history in a pipe is plain lines, JSON or CSV")
  func bleHistoryInAPipeIsPlainLines() throws {
    try record()
    let plain = try place.run("history", file, "connections")
    #expect(plain.status == 0 && plain.lines.count == 2 && plain.lines.arePlain && plain.errors.isEmpty)
    let json = try place.run("history", file, "values", "--json")
    #expect(json.status == 0 && json.lines.allSatisfy { ToolProcess.object($0)?["value"] != nil })
    let csv = try place.run("history", file, "values", "--csv")
    #expect(csv.lines.first == "time,session,identifier,name,service,characteristic,source,hex,utf8")
    let pattern =
      /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z,1,[0-9A-F-]{36},"Owenli","FFF0","FFF1",notified,[0-9a-f]+,"send data : \d+"/
    #expect(csv.lines.count > 1 && csv.lines.dropFirst().allSatisfy { $0.wholeMatch(of: pattern) != nil })
  }
}
