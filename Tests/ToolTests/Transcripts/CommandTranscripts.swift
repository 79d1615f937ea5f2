import Foundation
import Testing

/// The output of each command, on a terminal and in a pipe. `CommandTranscriptTests` makes sure that none is left out: it
/// looks for tests named after the command.
@Suite("Transcripts", .serialized, .timeLimit(.minutes(10)))
struct CommandTranscripts {
  private let place = Neighbourhood()

  @Test("ble scan on a terminal is a table while it runs, and lines after Ctrl-C, which ends it with 130")
  func bleScanOnATerminalIsATable()
    throws
  {
    try place.serve("owenli")
    let terminal = try place.terminal("scan", "--duration", "0", columns: 110, rows: 12)
    let table = try terminal.until("the table") { $0.isAlternate && $0.screen.contains { $0.contains("Owenli") } }
    #expect(table.isCursorHidden && table.screen.first?.hasPrefix("1 device ") == true, "\(table.text)")
    #expect(table.screen[2].contains("dBm") == false && table.screen[2].contains("FFF0"))
    terminal.resize(columns: 70, rows: 6)
    try terminal.until("the table in a smaller window") { model in
      model.isAlternate && model.screen.contains { $0.contains("Owenli") }
        && !model.screen.contains { $0.contains("FFF0, FFE0, ") }
    }
    terminal.type("s")
    try terminal.see("by name")
    try terminal.interrupt()
    #expect(terminal.model.text.contains("Owenli") && terminal.model.text.contains("dBm"), "\(terminal.transcript)")
  }

  @Test("ble scan on a terminal ends with q, with the found devices as lines")
  func bleScanOnATerminalEndsWithQ() throws {
    try place.serve("owenli")
    let terminal = try place.terminal("scan", "--duration", "0")
    try terminal.see("Owenli")
    terminal.type("q")
    try terminal.end()
    #expect(terminal.model.text.contains("Owenli"))
  }

  @Test("ble scan on a terminal without cursor control prints lines", arguments: [["TERM": "dumb"], ["TERM": ""]])
  func bleScanOnATerminalWithoutCursorControlPrintsLines(environment: [String: String]) throws {
    try place.serve("owenli")
    let terminal = try place.terminal("scan", "--count", "1", "--duration", "20", environment: environment)
    #expect(try terminal.finish() == 0)
    #expect(!terminal.octets.contains(0x1B) && terminal.model.text.contains("Owenli"), "\(terminal.transcript)")
  }

  @Test("ble scan with NO_COLOR draws its table without emphasis")
  func bleScanWithNOCOLORDrawsItsTableWithoutEmphasis() throws {
    try place.serve("owenli")
    let terminal = try place.terminal("scan", "--count", "1", "--duration", "20", environment: ["NO_COLOR": "1"])
    try terminal.end()
    #expect(!String(decoding: terminal.octets, as: UTF8.self).contains("\u{1B}[1m"))
  }

  @Test("A hostile name does not affect a terminal, in any command")
  func aHostileNameDoesNotAffectATerminal() throws {
    let name = "\u{1B}[2J\u{1B}]0;x\u{7}\u{202E}evil\u{9B}31m"
    try place.serve("owenli", "--name", name)
    for words in [
      ["scan", "--count", "1", "--duration", "20"], ["explore", name], ["read", name, "FFF2"],
      ["read", "nobody", "FFF2", "--timeout", "1"],
    ] {
      let terminal = try place.terminal(words)
      try terminal.finish()
      expectInert(terminal)
    }
  }

  @Test(
    "X2 a hostile name does not affect a terminal while a command keeps its device",
    arguments: [
      (["watch", "--characteristic", "FFF2", "--interval", "0.2"], "ready"), (["rssi", "--interval", "0.1"], "3 meas"),
      (["connect"], "evil"), (["record", "FILE"], "values"),
    ])
  func hostileNameKept(_ words: [String], _ sign: String) throws {
    let name = "\u{1B}[2J\u{1B}]0;x\u{7}\u{202E}evil\u{9B}31m"
    try place.serve("owenli", "--name", name)
    let terminal = try place.terminal(
      [words[0], name] + words.dropFirst().map { $0 == "FILE" ? place.path("r.sqlite") : $0 })
    try terminal.see(sign)
    // Its name is in the prompt, in the title, and in the message about the link's end.
    terminal.type(words[0] == "connect" ? "info\rdisconnect\r" : "")
    if words[0] == "connect" { try terminal.see("(not connected)") }
    terminal.type("\u{3}")
    #expect(try terminal.finish() == 130)
    expectInert(terminal)
  }

  private func expectInert(_ terminal: TerminalProcess, sourceLocation: SourceLocation = #_sourceLocation) {
    let model = terminal.model
    #expect(
      model.bells == 0 && !model.text.contains("\u{202E}") && !terminal.text.unicodeScalars.contains("\u{9B}"),
      "\(terminal.transcript)", sourceLocation: sourceLocation)
    terminal.expectGoodOrder(sourceLocation: sourceLocation)
  }

  @Test("Filters of ble scan omit other devices")
  func filtersOfBleScanOmitOtherDevices() throws {
    try place.serve("owenli")
    let no = try place.run("scan", "--duration", "1", "--prefix", "X", "--min-rssi", "-127")
    #expect(no.status == 0 && no.lines.isEmpty)
    let loud = try place.run("scan", "--duration", "1", "--min-rssi", "20")
    #expect(loud.lines.isEmpty)
    let yes = try place.run(
      "scan", "--count", "1", "--duration", "20", "--prefix", "Owe", "--min-rssi", "-127", "--json-lines")
    #expect(yes.status == 0 && yes.document?["name"] as? String == "Owenli")
  }

  @Test("ble scan in a pipe is a plain line for each device")
  func bleScanInAPipeIsAPlainLine() throws {
    try place.serve("owenli")
    let scan = try place.run("scan", "--count", "1", "--duration", "20")
    #expect(scan.status == 0 && scan.lines.count == 1 && scan.lines.arePlain)
    #expect(scan.lines.first?.contains("Owenli") == true && scan.lines.first?.contains("dBm") == true)
  }

  @Test("ble explore on a terminal draws the tree")
  func bleExploreOnATerminalDrawsTheTree() throws {
    try place.serve("owenli")
    let terminal = try place.runOnTerminal("explore", "Owenli")
    #expect(terminal.model.text.contains("FFF2") && terminal.model.text.contains("└─"))
    #expect(terminal.octets.contains(0x1B), "names stand out")
  }

  @Test("ble explore in a pipe is the tree without colours")
  func bleExploreInAPipeIsTheTreeWithoutColours() throws {
    try place.serve("owenli")
    let result = try place.run("explore", "Owenli")
    #expect(result.status == 0 && result.lines.arePlain && result.lines.contains { $0.contains("FFF2") })
  }

  @Test("ble read on a terminal prints the value")
  func bleReadOnATerminalPrintsTheValue() throws {
    try place.serve("owenli")
    let terminal = try place.runOnTerminal("read", "Owenli", "FFF2")
    #expect(terminal.model.text.contains("\"Owenli\" (4f77656e6c69)"))
  }

  @Test("ble read in a pipe prints the value and nothing else")
  func bleReadInAPipePrintsTheValueAndNothing() throws {
    try place.serve("owenli")
    let result = try place.run("read", "Owenli", "FFF2")
    #expect(result.status == 0 && result.lines == ["\"Owenli\" (4f77656e6c69)"] && result.errors.isEmpty)
  }

  @Test("ble write on a terminal prints what it wrote")
  func bleWriteOnATerminalPrintsWhatItWrote() throws {
    let server = try place.serve("owenli")
    let terminal = try place.runOnTerminal("write", "Owenli", "FFF2", "hi")
    #expect(terminal.model.text.contains("Wrote 2 octets to FFF2"))
    try server.event("written")
  }

  @Test("ble write in a pipe prints nothing on the standard output")
  func bleWriteInAPipePrintsNothingOnTheStandard() throws {
    try place.serve("owenli")
    let result = try place.run("write", "Owenli", "FFF2", "hi")
    #expect(result.status == 0 && result.lines.isEmpty && result.errors == ["Wrote 2 octets to FFF2."])
  }

  @Test("ble subscribe on a terminal prints values until Ctrl-C, and unsubscribes")
  func bleSubscribeOnATerminalPrintsValuesUntilCtrlC() throws {
    let server = try place.serve("owenli")
    let terminal = try place.terminal("subscribe", "Owenli", "FFF1")
    try terminal.see("send data : 2")
    try terminal.interrupt()
    try server.event("unsubscribed")
  }

  @Test("ble subscribe in a pipe is a plain line for each value")
  func bleSubscribeInAPipeIsAPlainLine() throws {
    try place.serve("owenli")
    let result = try place.run("subscribe", "Owenli", "FFF1", "--count", "2")
    #expect(result.status == 0 && result.lines.count == 2 && result.lines.arePlain)
  }

  @Test("ble serve on a terminal prints events until Ctrl-C")
  func bleServeOnATerminalPrintsEventsUntilCtrlC() throws {
    let terminal = try place.terminal("serve", "owenli", "--adapter", "radio:default/peripheral")
    try terminal.see("Advertising")
    #expect(try place.run("read", "Owenli", "FFF2").status == 0)
    try terminal.see("FFF2")
    try terminal.interrupt()
  }

  @Test("ble serve in a pipe prints the same in plain lines")
  func bleServeInAPipePrintsTheSameInPlain() throws {
    let server = try place.ble("serve", "owenli", "--adapter", "radio:default/peripheral", "--duration", "1")
    try server.line { $0.contains("Advertising") }
    let (status, lines) = try server.finish()
    #expect(status == 0 && lines.arePlain)
  }

  @Test("ble demo on a terminal shows every step")
  func bleDemoOnATerminalShowsEveryStep() throws {
    let terminal = try place.runOnTerminal("demo")
    for step in ["found", "connected", "explored", "written", "notified", "disconnected", "captured"] {
      #expect(terminal.model.text.contains("✓ \(step)"), "\(step): \(terminal.transcript)")
    }
  }

  @Test("ble demo in a pipe shows every step in plain lines")
  func bleDemoInAPipeShowsEveryStepInPlain() throws {
    let result = try place.run("demo")
    #expect(result.status == 0 && result.lines.arePlain && result.lines.contains { $0.contains("✓ captured") })
  }

  @Test("ble controller on a terminal prints where hosts connect, until Ctrl-C")
  func bleControllerOnATerminalPrintsWhereHostsConnect() throws {
    let terminal = try place.terminal("controller")
    try terminal.see("tcp-client:127.0.0.1:")
    try terminal.interrupt()
  }

  @Test("ble controller in a pipe prints it in a plain line")
  func bleControllerInAPipePrintsItInAPlain() throws {
    let controller = try place.ble("controller")
    try controller.line { $0.contains("tcp-client:127.0.0.1:") }
    controller.send(SIGTERM)
    let (status, lines) = try controller.finish()
    #expect(status == 143 && lines.arePlain)
  }

  /// A capture of one reading.
  private func capture() throws -> String {
    try place.serve("owenli")
    let path = place.path("c.btsnoop")
    #expect(try place.run("read", "Owenli", "FFF2", "--capture", path).status == 0)
    return path
  }

  @Test("ble capture show on a terminal prints the packets")
  func bleCaptureShowOnATerminalPrintsThePackets() throws {
    let terminal = try place.runOnTerminal("capture", "show", try capture())
    #expect(terminal.model.text.contains("ATT_READ_RSP"), "\(terminal.transcript)")
  }

  @Test("ble capture show in a pipe prints the packets in plain lines")
  func bleCaptureShowInAPipePrintsThePackets() throws {
    let result = try place.run("capture", "show", try capture())
    #expect(result.status == 0 && result.lines.arePlain && result.lines.contains { $0.contains("ATT_READ_RSP") })
  }

  @Test("ble clone on a terminal prints how much of the log it reproduces")
  func bleCloneOnATerminalPrintsHowMuch() throws {
    let terminal = try place.runOnTerminal("clone", try capture(), "-o", place.path("clone.json"))
    #expect(terminal.model.text.contains("reproduces 100 %"), "\(terminal.transcript)")
  }

  @Test("ble clone in a pipe prints the device file where no other file is named")
  func bleCloneInAPipePrintsTheDeviceFile() throws {
    let result = try place.run("clone", try capture())
    #expect(result.status == 0 && result.lines.arePlain, "\(result.transcript)")
    #expect(result.lines.contains { $0.contains("\"ble-device/1\"") }, "\(result.transcript)")
    #expect(result.errors.contains { $0.contains("reproduces 100 %") }, "\(result.transcript)")
  }

  @Test("ble capture redact on a terminal prints how many packets it copied")
  func bleCaptureRedactOnATerminalPrintsHowManyPackets() throws {
    let terminal = try place.runOnTerminal("capture", "redact", try capture(), place.path("copy.btsnoop"))
    #expect(terminal.model.text.contains("packets copied"))
  }

  @Test("ble capture redact in a pipe prints nothing on the standard output")
  func bleCaptureRedactInAPipePrintsNothing() throws {
    let result = try place.run("capture", "redact", try capture(), place.path("copy.btsnoop"))
    #expect(result.status == 0 && result.lines.isEmpty && result.errors.count == 1)
  }

  @Test("ble l2cap listen on a terminal and ble l2cap connect in a pipe carry typed text")
  func bleL2capListenOnATerminalAndBleL2capConnect() throws {
    let terminal = try place.terminal("l2cap", "listen", "--adapter", "radio:default/peripheral", "--count", "6")
    try terminal.see("PSM")
    let connect = try place.ble("l2cap", "connect", "ble")
    connect.type("hello\n")
    try terminal.see("hello")
    try terminal.end()
    #expect(try connect.finish().status == 0)
  }

  @Test("ble l2cap connect on a terminal and ble l2cap listen in a pipe carry typed text")
  func bleL2capConnectOnATerminalAndBleL2capListen() throws {
    let listen = try place.ble("l2cap", "listen", "--adapter", "radio:default/peripheral", "--count", "6")
    let terminal = try place.terminal("l2cap", "connect", "ble", "--timeout", "20")
    try terminal.see("PSM")
    terminal.type("hello\r")
    let (status, lines) = try listen.finish()
    #expect(status == 0 && lines == ["hello"])
    try terminal.end()
  }
}
