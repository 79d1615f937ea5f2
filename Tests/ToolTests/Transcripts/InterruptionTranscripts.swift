import Foundation
import Testing

/// Ctrl-C on a terminal, at any moment of a command: 130, soon, the terminal as it was, and no link left behind.
@Suite("Ctrl-C", .serialized, .timeLimit(.minutes(10)))
struct InterruptionTranscripts {
  private let place = Neighbourhood()

  @Test(
    "Ctrl-C ends every command that looks for a missing device",
    arguments: [
      ["explore", "nobody"], ["read", "nobody", "FFF2"], ["write", "nobody", "FFF2", "hi"],
      ["subscribe", "nobody", "FFF1"], ["connect", "nobody"], ["watch", "nobody"], ["rssi", "nobody"],
      ["rssi", "nobody", "--advertisements"], ["pair", "nobody"], ["record", "nobody", "FILE"],
      ["l2cap", "connect", "nobody"],
      ["chat"],
    ])
  func search(_ words: [String]) throws {
    let terminal = try place.terminal(
      words.map { $0 == "FILE" ? place.path("r.sqlite") : $0 } + ["-v", "--timeout", "100"])
    try terminal.see("the adapter is poweredOn")
    try terminal.interrupt()
  }

  @Test("A signal ends the tool at any moment of its start")
  func aSignalEndsTheToolAtAnyMoment() throws {
    for milliseconds in UInt32(0)..<40 {
      let scan = try place.ble("scan", "--duration", "600")
      // Different moments, not a wait for anything.
      usleep(milliseconds * 1_000)
      scan.send(SIGTERM)
      #expect(try scan.finish().status == 143, "after \(milliseconds) ms: \(scan.transcript)")
    }
  }

  @Test("Ctrl-C ends ble rssi while it measures, its link closed")
  func ctrlCEndsBleRssiWhileItMeasures() throws {
    let server = try place.serve("owenli")
    let terminal = try place.terminal("rssi", "Owenli", "--interval", "0.1")
    try terminal.until("a chart") { $0.isAlternate && $0.text.contains("3 measurements") }
    try terminal.interrupt()
    // A disconnected device can be connected again immediately.
    #expect(try place.run("read", "Owenli", "FFF2").status == 0, "\(server.transcript)")
  }

  @Test(
    "Ctrl-C ends a command whose device has stopped inside an answer",
    arguments: [["explore", "Owenli"], ["connect", "Owenli"]])
  func silence(_ words: [String]) throws {
    // Otherwise the command might have all answers before the device stops.
    let late = """
      {"format": "ble-faults/1", "faults": [{"when": {"read": "any"}, "what": {"delay": 20}}]}
      """
    let server = try place.serve("owenli", "--faults", try place.file("late.json", late))
    let terminal = try place.terminal(words)
    if words[0] == "connect" {
      try terminal.see("Owenli>")
      terminal.type("explore\r")
    }
    try server.event("fault")
    // It keeps its link for the two seconds of the time-out between processes, and answers nothing.
    server.send(SIGSTOP)
    try terminal.interrupt()
    server.send(SIGCONT)
  }
}
