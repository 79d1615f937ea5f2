import Foundation
import Testing

/// The output of `ble chat`, on a terminal and in a pipe.
@Suite("Transcripts of the chat", .serialized, .timeLimit(.minutes(10)))
struct ChatTranscripts {
  private let place = Neighbourhood()

  private func chat(_ name: String, _ more: String...) throws -> ToolProcess {
    try place.ble(["chat", "--name", name, "--adapter", "radio:default/\(name)"] + more)
  }

  private func terminal(_ name: String, _ more: String...) throws -> TerminalProcess {
    try place.terminal(["chat", "--name", name, "--adapter", "radio:default/\(name)"] + more)
  }

  @Test("R1.11 R1.12 ble chat on a terminal shows both sides, rings the bell, and ends with Ctrl-C and 130")
  func bleChatOnATerminalShowsBothSides()
    throws
  {
    let ann = try terminal("Ann")
    let bob = try terminal("Bob")
    try ann.see("Bob is here.")
    try bob.see("Ann is here.")
    let bells = bob.model.bells
    ann.type("hello, 世界\u{1B}[D\u{1B}[D\u{7F}\r")
    try bob.see("Ann: hello,世界")
    try bob.until("a bell") { $0.bells == bells + 1 }
    try ann.see("Ann: hello,世界 ✓")
    // The line being typed stays whole when a message arrives.
    bob.type("half a li")
    try bob.see("> half a li")
    ann.type("interrupting\r")
    try bob.see("Ann: interrupting")
    #expect(try bob.see("> half a li").screen.last { !$0.isEmpty } == "> half a li")
    bob.type("ne\r")
    try ann.see("Bob: half a line")
    // The previous line comes back.
    bob.type("\u{1B}[A!\r")
    try ann.see("Bob: half a line!")
    try bob.interrupt()
    try ann.see("Bob has left.")
    ann.type("are you there?\r")
    try ann.see("Ann: are you there? …")
    let again = try chat("Bob", "--json")
    let event = try again.event("message")
    #expect(event["text"] as? String == "are you there?")
    try ann.see("Bob is back.")
    try ann.see("Ann: are you there? ✓")
    ann.type("\u{4}")
    try ann.end()
    try again.event("left")
  }

  @Test("R1.12 ble chat in a pipe reads lines and prints lines, and ends when all are delivered")
  func bleChatInAPipeReadsLinesAndPrintsLines() throws {
    let bob = try chat("Bob", "--peripheral", "--until-peer-ends")
    let ann = try chat("Ann", "--central", "--until-peer-ends")
    let lines = ["hello", "{\"a\": \"b\\n\"}", "你好 👨‍👩‍👧‍👦", String(repeating: "long ", count: 4_000)]
    ann.type(lines.joined(separator: "\n") + "\n\u{1B}]0;title\u{7}\n")
    ann.endInput()
    bob.type("one\r\ntwo")
    bob.endInput()
    let (heard, answered) = (try bob.finish(), try ann.finish())
    #expect(heard.status == 0 && answered.status == 0, "\(bob.transcript)\n\(ann.transcript)")
    #expect(heard.lines == lines.map { $0.trimmingCharacters(in: .newlines) } + ["\\u{1B}]0;title\\u{7}"])
    #expect(answered.lines == ["one", "two"])
    #expect(heard.lines.arePlain && ann.errors.contains("Bob is here."))
  }

  @Test("I12 R1.12 ble chat that leaves does not print that the other side is out of reach")
  func bleChatThatLeavesDoesNotPrint() throws {
    let bob = try chat("Bob", "--central", "--until-peer-ends")
    bob.endInput()
    let ann = try chat("Ann", "--peripheral")
    ann.type("hello\n")
    ann.endInput()
    #expect(try ann.finish().status == 0 && bob.finish().status == 0, "\(bob.transcript)\n\(ann.transcript)")
    #expect(ann.errors == ["You are 'Ann'. Looking for a chat partner ...", "Bob is here.", "Bob has finished."])
  }

  @Test("I15.7 ble chat tells two people of one login apart, on both sides")
  func bleChatTellsTwoPeopleOfOneLoginApart() throws {
    let login = NSUserName()
    let sides = try ["first", "second"].map { device in
      try place.terminal("chat", "--adapter", "radio:default/\(device)")
    }
    for side in sides {
      try side.see("You are '\(login)'.")
      try side.see("It has your name; --name gives you another one.")
    }
    sides[0].type("hello\r")
    try sides[0].see("\(login) (you): hello ✓")
    let model = try sides[1].until("the other side's name with its number") { model in
      model.text.contains("\(login) (") && model.text.contains(#/\([0-9a-f]{4}\): hello/#)
    }
    #expect(!model.text.contains("\(login): ") && !model.text.contains("(you): hello"))
    try sides[0].interrupt()
    try sides[1].see(") has left.")
    try sides[1].interrupt()
    #expect(!sides.contains { $0.text.contains("out of range") })
  }

  @Test("I15.7 whichever side of ble chat leaves, neither is told that the other one is out of reach", arguments: 0..<4)
  func whicheverSideLeaves(round: Int) throws {
    let ann = try chat("Ann", "--json")
    let bob = try chat("Bob", "--json")
    for side in [ann, bob] { try side.event("arrived") }
    let (leaver, other) = round.isMultiple(of: 2) ? (ann, bob) : (bob, ann)
    if round < 2 { leaver.send(SIGINT) } else { leaver.send(SIGTERM) }
    try other.event("left")
    #expect(try leaver.finish().status == (round < 2 ? 130 : 143))
    other.send(SIGINT)
    #expect(try other.finish().status == 130)
    for side in [ann, bob] {
      #expect(!side.transcript.contains("\"event\":\"away\""), "\(side.transcript)")
    }
  }

  @Test("I15.7 ble chat says of a plain-text app that has gone that it is not connected, and not why")
  func aPlainAppThatHasGone() throws {
    let server = try place.serve("chat")
    let ann = try terminal("Ann")
    try ann.see("It is a plain-text app")
    server.send(SIGINT)
    try ann.see("is not connected any more; your messages are kept.")
    try ann.interrupt()
    #expect(!ann.text.contains("out of range"))
  }

  @Test("R1.12 ble chat with --json prints every event, line by line")
  func bleChatWithJsonPrintsEveryEvent() throws {
    let ann = try chat("Ann", "--json")
    let bob = try chat("Bob", "--json")
    let arrived = try ann.event("arrived")
    #expect(arrived["name"] as? String == "Bob" && arrived["framed"] as? Bool == true && arrived["code"] is NSNull)
    let other = try bob.event("arrived")
    #expect(Set([arrived["role"] as? String, other["role"] as? String]) == ["central", "peripheral"])
    ann.type("line \u{7} \\ \u{202E}end\n")
    #expect(try bob.event("message")["text"] as? String == "line \u{7} \\ \u{202E}end")
    #expect(try ann.event("sent")["number"] as? Int == 1)
    #expect(try ann.event("delivered")["numbers"] as? [Int] == [1])
    bob.kill9()
    try ann.event("away")
    ann.send(SIGINT)
    #expect(try ann.finish().status == 130)
  }

  @Test("R1.12 ble chat with --encrypt shows the same code on both sides, and refuses a peer without encryption")
  func bleChatWithEncryptShowsTheSameCode() throws {
    let ann = try chat("Ann", "--json", "--encrypt")
    let bob = try chat("Bob", "--json")
    let codes = [try ann.event("arrived"), try bob.event("arrived")].map { $0["code"] as? String }
    #expect(codes[0] == codes[1] && codes[0]?.count == 6)
    bob.endInput()
    #expect(try bob.finish().status == 0)
    try place.serve("chat")
    try ann.event("refused") { $0["reason"] as? String == "no-encryption" }
  }

  @Test("R1.12 ble chat works with a plain peripheral, whose text cannot act on a terminal")
  func bleChatWorksWithAPlainPeripheral() throws {
    let server = try place.serve("chat")
    let ann = try terminal("Ann")
    try ann.see("It is a plain-text app")
    ann.type("hello\r")
    try ann.see("Ann: hello ✓")
    let written = try server.event("written")["value"] as? [String: Any]
    #expect(written?["utf8"] as? String == "hello")
    server.type("\u{1B}[2Jevil\u{7}\n")
    try ann.see("\\u{1B}[2Jevil\\u{7}")
    try ann.interrupt()
  }

  @Test("Roles that contradict each other are a wrong command line")
  func rolesThatContradictEachOtherAreAWrongCommandLine() throws {
    let result = try place.run("chat", "--central", "--peripheral")
    #expect(result.status == 64 && result.errors.first?.contains("contradict") == true)
  }
}
