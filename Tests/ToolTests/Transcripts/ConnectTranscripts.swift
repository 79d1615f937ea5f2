import Foundation
import Testing

/// `connect`: typed on a terminal, piped, and from a script.
@Suite("Transcripts of connect", .serialized, .timeLimit(.minutes(10)))
struct ConnectTranscripts {
  private let place = Neighbourhood()

  private func script(_ text: String) throws -> String { try place.file("script.ble", text) }

  @Test("ble connect on a terminal is a shell with completion, history and values above the line")
  func bleConnectOnATerminalIsAShellWithCompletion() throws {
    let server = try place.serve("owenli")
    let terminal = try place.terminal("connect", "Owenli")
    try terminal.see("Owenli>")
    terminal.type("rea\t")
    try terminal.see("Owenli> read")
    terminal.type("FFF2\r")
    try terminal.see("\"Owenli\" (4f77656e6c69)")
    terminal.type("write FFF2 \"a b\"\r")
    try terminal.see("Wrote 3 octets to FFF2")
    try server.event("written")
    terminal.type("subscribe FFF1\r")
    terminal.type("half a li")
    try terminal.until("a value above the line") {
      $0.text.contains("send data : 2") && $0.screen.contains("Owenli> half a li")
    }
    terminal.type("\u{15}unsubscribe FFF1\r")
    try terminal.see("Unsubscribed from FFF1")
    terminal.type("nonsense\r")
    try terminal.see("Unknown command 'nonsense'")
    try terminal.see("  'help' lists the commands.")
    terminal.type("raed FFF2\r")
    try terminal.see("Unknown command 'raed'. Did you mean 'read'?")
    terminal.type("read\r")
    try terminal.see("  See 'help read' for more information.")
    for (line, answer) in [
      ("rssi", "dBm ▂"), ("mtu", "octets without response"), ("info", "connection     open"),
      ("help", "Explain a command."),
      ("explore", "└─ "),
    ] {
      terminal.type(line + "\r")
      try terminal.see(answer)
    }
    terminal.type("disconnect\r")
    try terminal.see("Owenli (not connected)>")
    terminal.type("read FFF2\r")
    try terminal.see("There is no connection")
    terminal.type("reconnect\r")
    try terminal.see("Connected to 'Owenli'.")
    // The previous line is brought back.
    terminal.type("\u{1B}[A\u{1B}[A\r")
    try terminal.see("\"a b\"")
    terminal.type("quit\r")
    try terminal.end()
    let again = try place.terminal("connect", "Owenli")
    try again.see("Owenli>")
    again.type("\u{1B}[A")
    try again.see("Owenli> quit")
    again.type("\u{15}\u{4}")
    // Ctrl-D.
    try again.end()
  }

  @Test("Ctrl-C ends ble connect with 130, its link closed and the terminal as it was")
  func ctrlCEndsBleConnectWith130() throws {
    let server = try place.serve("owenli")
    let terminal = try place.terminal("connect", "Owenli")
    try terminal.see("Owenli>")
    terminal.type("subscribe FFF1\r")
    try server.event("subscribed")
    terminal.type("sleep 100\r")
    try terminal.see("sleep 100")
    try terminal.interrupt()
    try server.event("unsubscribed")
  }

  @Test("I15.7 Ctrl-C clears the line of ble connect, and ends it on an empty line")
  func ctrlCClearsTheLine() throws {
    try place.serve("owenli")
    let terminal = try place.terminal("connect", "Owenli")
    try terminal.see("Owenli>")
    terminal.type("read FF")
    try terminal.see("Owenli> read FF")
    terminal.type("\u{3}")
    try terminal.see("Owenli> read FF^C")
    terminal.type("read FFF2\r")
    try terminal.see("Owenli> read FFF2")
    try terminal.see("\"Owenli\" (4f77656e6c69)")
    try terminal.interrupt()
  }

  @Test("I15.7 the link of ble connect comes back by itself, with its subscriptions, and not after 'disconnect'")
  func theLinkComesBackByItself() throws {
    let server = try place.serve("owenli")
    let terminal = try place.terminal("connect", "Owenli")
    try terminal.see("Owenli>")
    terminal.type("subscribe FFF1\r")
    // The server's event is earlier than the answer that the client waits for.
    try terminal.see("Subscribed to FFF1.")
    server.kill9()
    try terminal.see("Owenli (not connected)>")
    try terminal.see("It is opened again when the device is there.")
    terminal.type("read FFF2\r")
    try terminal.see("There is no connection: it is opened when the device is there again.")
    let second = try place.serve("owenli")
    try terminal.see("Connected to 'Owenli' again.")
    try second.event("subscribed")
    terminal.type("read FFF2\r")
    try terminal.see("\"Owenli\" (4f77656e6c69)")
    second.kill9()
    try terminal.until("the second loss") { model in
      model.text.components(separatedBy: "It is opened again when the device is there.").count == 3
    }
    terminal.type("disconnect\r")
    terminal.type("info\r")
    try terminal.see("connection     none")
    try place.serve("owenli")
    terminal.type("sleep 3\rread FFF2\r")
    try terminal.see("There is no connection: 'reconnect' opens one.")
    terminal.type("quit\r")
    try terminal.end()
  }

  @Test("I15.7 the link of a script comes back by itself between two of its lines")
  func theLinkOfAScriptComesBackByItself() throws {
    let server = try place.serve("owenli")
    let shell = try place.ble("connect", "Owenli")
    shell.type("read FFF2\n")
    try shell.line { $0.hasPrefix("\"Owenli\"") }
    server.kill9()
    try shell.complaint("It is opened again when the device is there.")
    try place.serve("owenli")
    try shell.complaint("Connected to 'Owenli' again.")
    shell.type("read FFE1\n")
    shell.endInput()
    let (status, lines) = try shell.finish()
    #expect(status == 0 && lines.last?.hasPrefix("\"Hello from Owenli\"") == true, "\(shell.transcript)")
  }

  @Test("A shell whose device has gone reports that, and continues")
  func aShellWhoseDeviceHasGoneReports() throws {
    let server = try place.serve("owenli")
    let terminal = try place.terminal("connect", "Owenli")
    try terminal.see("Owenli>")
    server.kill9()
    try terminal.see("Owenli (not connected)>")
    terminal.type("quit\r")
    #expect(try terminal.finish() == 0)
  }

  @Test("ble connect in a pipe executes lines as they arrive")
  func bleConnectInAPipeExecutesLinesAsTheyArrive() throws {
    let server = try place.serve("owenli")
    let shell = try place.ble("connect", "Owenli")
    shell.type("read FFF2\n\nread FFF2 --format hex\n")
    try shell.line { $0 == "4f77656e6c69" }
    shell.type("subscribe FFF1 --format utf8\nsleep 1.5\nunsubscribe FFF1\nread FFE1 # that is all")
    shell.endInput()
    let (status, lines) = try shell.finish()
    #expect(
      status == 0 && lines.arePlain && lines.last == "\"Hello from Owenli\" (48656c6c6f2066726f6d204f77656e6c69)",
      "\(shell.transcript)")
    #expect(lines.contains { $0.hasPrefix("FFF1  send data : ") })
    try server.event("unsubscribed")
  }

  @Test("A script runs to its end, or to the line that fails")
  func aScriptRunsToItsEnd() throws {
    try place.serve("owenli")
    let good = try place.run(
      "connect", "Owenli", "--script",
      try script("read FFF2\nrssi\nmtu\ninfo\nexplore\ndisconnect\nreconnect\nread FFF2\nquit\nread FFF9"), "--json")
    #expect(
      good.status == 0 && good.lines.count == 6 && good.lines.allSatisfy { ToolProcess.object($0) != nil },
      "\(good.transcript)")
    let path = try script("read FFF2\nread FFF9\nread FFE1")
    let bad = try place.run("connect", "Owenli", "--script", path)
    #expect(bad.status == 68 && bad.lines.count == 1, "\(bad.transcript)")
    #expect(bad.errors.contains { $0.hasPrefix("Error: \(path):2: 'Owenli' has no characteristic FFF9") })
    let on = try place.run("connect", "Owenli", "--script", path, "--keep-going")
    #expect(on.status == 68 && on.lines.count == 2, "\(on.transcript)")
    let wrong = try place.run("connect", "Owenli", "--script", try script("read FFF2\nraed FFF2"))
    #expect(
      wrong.status == 65 && wrong.lines.isEmpty
        && wrong.errors.first?.contains("script.ble:2: Unknown command") == true)
    #expect(try place.run("connect", "Owenli", "--script", "/nowhere").status == 66)
    #expect(try place.run("connect", "Owenli", "--script", "/tmp").status == 66)
  }

  @Test("Errors in a script from the standard input are reported with their lines")
  func errorsInAScriptFromTheStandardInputAreReported() throws {
    try place.serve("owenli")
    let shell = try place.ble("connect", "Owenli", "--script", "-")
    shell.type("\n\nread FFF9\n")
    shell.endInput()
    #expect(try shell.finish().status == 68)
    #expect(shell.errors.contains { $0.hasPrefix("Error: standard input:3: ") }, "\(shell.transcript)")
  }
}
