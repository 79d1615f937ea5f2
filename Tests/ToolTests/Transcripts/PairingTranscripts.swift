import Foundation
import Testing

/// The dialogue of a pairing on a terminal, and the output of the commands about bonds.
@Suite("Transcripts of pairing", .serialized, .timeLimit(.minutes(10)))
struct PairingTranscripts {
  private let place = Neighbourhood()
  private static let state = "B10C0002-7A5E-4C0D-9E57-3F6A1D2C4B80"

  @Test("ble pair on a terminal asks for the digits that the device shows, until there are six")
  func blePairOnATerminalAsksForTheDigits() throws {
    let server = try place.serve(PairingProcessTests.lock)
    let terminal = try place.terminal("pair", "Lock", "--level", "secure")
    try terminal.see("the six digits that \"Lock\"")
    let digits = try #require(try server.event("passkey")["passkey"] as? String)
    terminal.type("12345\r")
    try terminal.until("asked again") { $0.text.components(separatedBy: "(empty: refuse):").count > 2 }
    #expect(terminal.model.text.contains("These are not six digits."))
    terminal.type("\(digits.prefix(3)) \(digits.suffix(3))\r")
    try terminal.end()
    #expect(terminal.model.text.contains("authenticated, Secure Connections, 16-octet key"), "\(terminal.transcript)")
  }

  @Test("Both sides show the same digits, and both users confirm them")
  func bothSidesShowTheSameDigits() throws {
    let server = try place.terminal(
      "serve", PairingProcessTests.lock, "--io", "display-yes-no", "--adapter", "radio:default/p")
    try server.see("Advertising")
    let client = try place.terminal("read", "Lock", Self.state)
    let shown = try client.see("[y/N]").text
    let digits = try #require(shown.firstMatch(of: #/show ([0-9]{6})\?/#)?.1)
    try server.see("show \(digits)?")
    server.type("y\r")
    client.type("yes\r")
    try client.end()
    #expect(client.model.text.contains("locked") && client.model.text.contains("Numeric Comparison"))
    try server.see("Paired with")
    try server.interrupt()
  }

  @Test("A no ends a pairing on both sides, and the device stays reachable")
  func aNoEndsAPairingOnBothSides() throws {
    let server = try place.serve(PairingProcessTests.lock)
    let client = try place.terminal("pair", "Lock")
    try client.see("six digits")
    client.type("\r")
    #expect(try client.finish() == 74)
    #expect(client.model.text.contains("Passkey Entry Failed"))
    try server.event("pairing-failed")
    #expect(try place.run("read", "Lock", "2A29").status == 0)
  }

  @Test("Ctrl-C during the dialogue ends the tool with 130, and the device is notified")
  func ctrlCDuringTheDialogueEndsTheToolWith130() throws {
    let server = try place.serve(PairingProcessTests.lock)
    let client = try place.terminal("pair", "Lock")
    try client.see("six digits")
    try client.interrupt()
    try server.event("pairing-failed")
  }

  @Test("A user who takes long to answer is waited for")
  func aUserWhoTakesLongToAnswerIsWaited() throws {
    let server = try place.serve(PairingProcessTests.lock)
    let client = try place.terminal("read", "Lock", Self.state, "--timeout", "4")
    try client.see("six digits")
    let digits = try #require(try server.event("passkey")["passkey"] as? String)
    usleep(5_000_000)
    client.type("\(digits)\r")
    #expect(try client.finish() == 0, "\(client.transcript)")
  }

  @Test("Where the tool reads typed lines, the next line is the answer and not a message")
  func whereTheToolReadsTypedLines() throws {
    let path = try place.file(
      "room.json",
      """
      {"name": "Room", "security": {"io": "keyboard-display"}, "services": [{"uuid": "FFF0", "characteristics": [{
        "uuid": "FFF1", "properties": ["read", "notify"], "permissions": ["readEncryptionRequired"],
        "notify": {"from": "input"}}]}]}
      """)
    let server = try place.terminal("serve", path, "--adapter", "radio:default/p")
    try server.see("Advertising")
    let client = try place.ble("pair", "Room", "--level", "authenticated", "--io", "display-only", "--json")
    try server.see("the six digits that")
    server.type("nothing\r")
    try server.until("asked again") { $0.text.components(separatedBy: "six digits that").count > 2 }
    let digits = try #require(try client.event("passkey")["passkey"] as? String)
    server.type("\(digits)\r")
    #expect(try client.finish().status == 0, "\(client.transcript)")
    try server.see("Paired with")
    #expect(!server.model.text.contains("has no subscriber yet"))
  }

  @Test("A hostile name does not affect the terminal that asks")
  func aHostileNameDoesNotAffectTheTerminalThatAsks() throws {
    try place.serve(PairingProcessTests.lock, "--name", "\u{1B}[2J\u{1B}]0;x\u{7}\u{202E}", "--passkey", "123456")
    let found = try place.ble("scan", "--json", "--count", "1", "--duration", "20")
    let identifier = try #require(try found.event("discovered")["identifier"] as? String)
    let client = try place.terminal("pair", identifier)
    try client.see("six digits")
    client.type("123456\r")
    try client.end()
    #expect(!client.octets.contains(7) && !client.text.contains("\u{202E}"))
  }

  // MARK: Stored bonds

  private func pair() throws {
    try place.serve(PairingProcessTests.lock, "--passkey", "123456")
    let result = try place.run("pair", "Lock", "--passkey", "123456")
    try #require(result.status == 0, "\(result.transcript)")
  }

  @Test("ble pair in a pipe is a plain line")
  func blePairInAPipeIsAPlainLine() throws {
    try place.serve(PairingProcessTests.lock, "--passkey", "123456")
    let result = try place.run("pair", "Lock", "--passkey", "123456")
    #expect(result.lines == ["Paired with 'Lock': authenticated, Secure Connections, 16-octet key, by Passkey Entry."])
    #expect(result.status == 0 && result.errors.isEmpty)
  }

  @Test("ble bonds list on a terminal and ble bonds show on a terminal print the devices that have keys")
  func bleBondsListOnATerminalAndBleBondsShow() throws {
    try pair()
    let list = try place.runOnTerminal("bonds", "list")
    #expect(list.model.text.contains("Bonds of radio:default/ble") && list.octets.contains(0x1B))
    let show = try place.runOnTerminal("bonds", "show", "Lock")
    #expect(show.model.text.contains("as central, as peripheral"), "\(show.transcript)")
  }

  @Test("ble bonds list in a pipe and ble bonds show in a pipe are plain lines")
  func bleBondsListInAPipeAndBleBondsShow() throws {
    try pair()
    let list = try place.run("bonds", "list")
    #expect(list.status == 0 && list.lines.count == 4 && list.lines.arePlain)
    let show = try place.run("bonds", "show", "Lock")
    #expect(show.status == 0 && show.lines.arePlain && show.lines.first?.hasSuffix("'Lock'") == true)
  }

  @Test("ble bonds export on a terminal and ble unpair on a terminal, and ble bonds remove on a terminal")
  func bleBondsExportOnATerminalAndBleUnpair() throws {
    try pair()
    let export = try place.runOnTerminal("bonds", "export")
    #expect(export.model.text.contains("{\"bonds\":["))
    let unpair = try place.runOnTerminal("unpair", "Lock")
    #expect(unpair.model.text.contains("Removed the bond of radio:default/ble"))
    let remove = try place.runOnTerminal("bonds", "remove", "--all")
    #expect(remove.model.text.contains("Removed the bond of radio:default/peripheral"))
  }

  @Test("ble bonds export in a pipe and ble unpair in a pipe, and ble bonds remove in a pipe")
  func bleBondsExportInAPipeAndBleUnpair() throws {
    try pair()
    let export = try place.run("bonds", "export", "Lock")
    #expect(export.status == 0 && export.lines.count == 1 && export.document != nil)
    let unpair = try place.run("unpair", "Lock")
    #expect(unpair.status == 0 && unpair.lines.isEmpty && unpair.errors.count == 1)
    let remove = try place.run("bonds", "remove", "--all", "--json")
    #expect(remove.status == 0)
    #expect((remove.document?["removed"] as? [Any])?.count == 1)
  }
}
