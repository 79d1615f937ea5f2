import Foundation
import Testing

/// `watch` and `rssi`: their output while a device is present, lost and back.
@Suite("Transcripts of kept devices", .serialized, .timeLimit(.minutes(10)))
struct KeepingTranscripts {
  private let place = Neighbourhood()

  @Test("ble watch on a terminal shows the device, its loss with a countdown, and its return")
  func bleWatchOnATerminalShowsTheDevice() throws {
    let server = try place.serve("owenli")
    let terminal = try place.terminal("watch", "Owenli", "--characteristic", "FFF1", "--interval", "0.2")
    try terminal.until("ready, with signal and values") { model in
      model.isAlternate && model.screen[0].contains("ready") && model.text.contains("smoothed")
        && model.text.contains("send data : ")
    }
    server.kill9()
    try terminal.until("the countdown") { $0.screen[0].contains(" s left, lost once") }
    try place.serve("owenli")
    try terminal.until("won back") { $0.screen[0].contains("ready again, lost once") }
    terminal.type("q")
    try terminal.end()
    #expect(terminal.model.text.contains("'Owenli': ready again, lost once."), "\(terminal.transcript)")
  }

  /// Runs the tool where BlueZ's daemon is configured and does not run yet.
  private func withoutDaemon(_ words: String) throws -> ToolProcess {
    try place.shell("DBUS_SYSTEM_BUS_ADDRESS=unix:path=\(place.path("none")) exec $BLE_TOOL \(words) --adapter bluez")
  }

  @Test(
    "I12.1 Commands that run until interrupted wait for an adapter of the machine, and print once what they wait for")
  func commandsThatRunUntilInterruptedWaitForAnAdapter() throws {
    for words in ["serve owenli", "watch Owenli", "record Owenli \(place.path("a.sqlite"))"] {
      let waiting = try withoutDaemon(words)
      try waiting.complaint("Waiting for the adapter bluez: it is missing, or another program uses it.")
      waiting.send(SIGINT)
      #expect(try waiting.finish().status == 130, "\(waiting.transcript)")
      #expect(waiting.errors.count { $0.hasPrefix("Waiting") } == 1, "\(waiting.transcript)")
    }
    let program = try withoutDaemon("serve owenli --json")
    let event = try program.event("waiting")
    #expect(event["adapter"] as? String == "bluez" && event["reason"] as? String == "missing")
    program.send(SIGTERM)
    #expect(try program.finish().status == 143, "\(program.transcript)")
  }

  @Test("I12.1 Commands with a time limit, or with one answer, end with the error where there is no adapter")
  func commandsWithATimeLimit() throws {
    for words in [
      "serve owenli --duration 0.5", "watch Owenli --duration 0.5",
      "record Owenli \(place.path("b.sqlite")) --duration 0.5", "read Owenli FFF1", "scan",
    ] {
      let ended = try withoutDaemon(words)
      #expect(try ended.finish().status == 69, "\(ended.transcript)")
      #expect(
        ended.errors.last == "Error: Bluetooth is not available: the adapter is missing or does not answer.",
        "\(ended.transcript)")
    }
    // A controller behind a socket is not waited for.
    let other = try place.run("serve", "owenli", "--adapter", "unix-client:\(place.path("none"))", "--timeout", "30")
    #expect(other.status == 69, "\(other.transcript)")
  }

  @Test("ble watch ends by Ctrl-C with 130, its link closed")
  func bleWatchEndsByCtrlCWith130() throws {
    let server = try place.serve("owenli")
    let terminal = try place.terminal("watch", "Owenli", "--characteristic", "FFF1")
    try server.event("subscribed")
    try terminal.interrupt()
    try server.event("unsubscribed")
  }

  @Test("ble watch in a pipe is a line for each event, and 75 where the device stays away")
  func bleWatchInAPipeIsALine() throws {
    let server = try place.serve("owenli")
    let watch = try place.ble("watch", "Owenli", "--characteristic", "FFF1", "--budget", "2", "--json")
    try watch.event("ready") { $0["origin"] as? String == "user" }
    try watch.event("rssi") { $0["rssi"] is Int && $0["proximity"] is String }
    try watch.event("value") { ($0["value"] as? [String: Any])?["utf8"] as? String != nil }
    server.kill9()
    try watch.event("disconnected") { $0["reason"] as? String == "lost" }
    try watch.event("attempt") { $0["seconds_left"] is Double || $0["seconds_left"] is Int }
    try watch.event("stopped") { $0["reason"] as? String == "budgetSpent" }
    let (status, lines) = try watch.finish()
    #expect(status == 75 && lines.arePlain && lines.allSatisfy { ToolProcess.object($0) != nil }, "\(watch.transcript)")
  }

  @Test("ble watch in a pipe reads a characteristic that does not notify")
  func bleWatchInAPipeReadsACharacteristic() throws {
    try place.serve("owenli")
    let watch = try place.ble("watch", "Owenli", "--characteristic", "FFF2", "--interval", "0.2", "--duration", "2")
    try watch.line { $0.contains("FFF2  \"Owenli\"") }
    let (status, lines) = try watch.finish()
    #expect(status == 0 && lines.arePlain, "\(watch.transcript)")
  }

  @Test("ble rssi on a terminal draws a chart")
  func bleRssiOnATerminalDrawsAChart() throws {
    try place.serve("owenli")
    let terminal = try place.terminal("rssi", "Owenli", "--interval", "0.1")
    try terminal.until("a chart") { $0.isAlternate && $0.text.contains("-30 ┤") && $0.text.contains("3 measurements") }
    terminal.type("q")
    try terminal.end()
    #expect(terminal.model.text.contains("smoothed"))
  }

  @Test("ble rssi in a pipe is a line for each measurement", arguments: [[], ["--advertisements"]])
  func bleRssiInAPipeIsALine(more: [String]) throws {
    try place.serve("owenli")
    let rssi = try place.run(["rssi", "Owenli", "--interval", "0.1", "--count", "3"] + more)
    #expect(
      rssi.status == 0 && rssi.lines.count == 3 && rssi.lines.allSatisfy { $0.contains("dBm") } && rssi.lines.arePlain,
      "\(rssi.transcript)"
    )
    let json = try place.ble(["rssi", "Owenli", "--interval", "0.1", "--count", "2", "--json"] + more)
    #expect(try json.finish().lines.compactMap { ToolProcess.object($0)?["number"] as? Int } == [1, 2])
  }
}
