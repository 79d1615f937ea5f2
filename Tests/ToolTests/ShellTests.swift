import Testing

@testable import ble

/// The shell's lines: how they are split, parsed, and completed.
@Suite("The shell of connect")
struct ShellTests {
  @Test(
    "A line is split into words",
    arguments: [
      ("read 2A19", ["read", "2A19"]), ("  read   2A19  ", ["read", "2A19"]), ("", []), ("   ", []),
      ("read \"Battery Level\"", ["read", "Battery Level"]), ("write x 'a \"b\\'", ["write", "x", "a \"b\\"]),
      ("write x a\\ b", ["write", "x", "a b"]), ("write x \"a\\\"b\\n\"", ["write", "x", "a\"b\\n"]),
      ("write x \"\"", ["write", "x", ""]), ("# nothing", []), ("read 2A19 # the level", ["read", "2A19"]),
      ("write x a#b", ["write", "x", "a#b"]), ("write x a'b c'd", ["write", "x", "ab cd"]), ("a\\", ["a"]),
    ])
  func aLineIsSplitIntoWords(line: String, words: [String]) throws {
    #expect(try ShellWords.split(line) == words)
  }

  @Test("An unclosed quote is an error", arguments: ["read \"x", "write x 'a\"", "\""])
  func anUnclosedQuoteIsAnError(line: String) {
    #expect(throws: UsageError.self) { try ShellWords.split(line) }
  }

  @Test("A quoted word is read back")
  func aQuotedWordIsReadBack() throws {
    for word in ["a", "a b", "a\"b", "a\\b", "", "#", "it's", "Battery Level"] {
      #expect(try ShellWords.split("read " + ShellWords.quoted(word)) == ["read", word])
    }
  }

  private static let known = ShellVocabulary(
    characteristics: ["180F/2A19", "2A00", "2A19", "Battery Level", "Device Name"],
    paths: ["1800/2A00", "180F/2A19", "FFF0/2A19"], subscribed: ["2A19"])

  @Test(
    "Tab offers the possible continuations",
    arguments: [
      ("re", 2, ["read ", "reconnect "]), ("", 0, ShellTree.names.map { $0 + " " }), ("read 2A1", 3, ["2A19 "]),
      ("read bat", 3, ["\"Battery Level\" "]), ("read \"Batt", 5, ["\"Battery Level\" "]), ("read 2A19 ", 0, []),
      ("read 2A19 --f", 3, ["--format "]), ("read 2A19 --format ba", 2, ["base64 "]), ("help rea", 3, ["read "]),
      ("rssi ", 0, []), ("nonsense x", 1, []), ("write 2A00 ", 0, []), ("sleep ", 0, []),
    ])
  func tabOffersThePossibleContinuations(text: String, replacing: Int, candidates: [String]) {
    let completion = ShellCompletion.completion(of: text, Self.known)
    #expect(completion == LineEditor.Completion(replacing: replacing, candidates: candidates))
  }

  @Test(
    "I15.7 Tab completes what has begun: subscriptions, services with their characteristics, values behind '='",
    arguments: [
      ("unsubscribe ", 0, ["2A19 "]), ("unsubscribe 2A0", 3, []), ("read 18", 2, ["180F/2A19 "]),
      ("read 1800/", 5, ["1800/2A00 "]), ("read fff0/2", 6, ["FFF0/2A19 "]), ("write 180F/2A19 ", 0, []),
      ("read 2A19 --format=ba", 11, ["--format=base64 "]), ("read --format hex 2A0", 3, ["2A00 "]),
      ("read --format=hex bat", 3, ["\"Battery Level\" "]), ("subscribe --format hex 2A19 ", 0, []),
    ])
  func tabCompletesWhatHasBegun(text: String, replacing: Int, candidates: [String]) {
    let completion = ShellCompletion.completion(of: text, Self.known)
    #expect(completion == LineEditor.Completion(replacing: replacing, candidates: candidates))
  }

  @Test(
    "I15.7 a mistyped line of the shell gets a suggestion and the place of its help",
    arguments: [
      ("raed 2A19", "Unknown command 'raed'. Did you mean 'read'?", "  'help' lists the commands."),
      ("exit", "Unknown command 'exit'. Did you mean 'quit'?", "  'help' lists the commands."),
      ("services", "Unknown command 'services'. Did you mean 'explore'?", "  'help' lists the commands."),
      ("?", "Unknown command '?'. Did you mean 'help'?", "  'help' lists the commands."),
      ("help raed", "Unknown command 'raed'. Did you mean 'read'?", "  'help' lists the commands."),
      ("nonsense", "Unknown command 'nonsense'", "  'help' lists the commands."),
      (
        "read", "Missing expected argument '<characteristic>'",
        "Usage: read [--format <format>] [<options>] <characteristic>\n  See 'help read' for more information."
      ),
      (
        "read 2A19 --fromat hex", "Unknown option '--fromat'. Did you mean '--format'?",
        "Usage: read [--format <format>] [<options>] <characteristic>\n  See 'help read' for more information."
      ),
    ])
  func aMistypedLineGetsASuggestion(line: String, message: String, hint: String) throws {
    let error = try #require(throws: UsageError.self) { _ = try ShellLine(text: line, number: 1).invocation() }
    #expect(error.message == message)
    #expect(ShellHelp.hint(after: error) == hint)
  }

  @Test("A script is read as a whole, and an error reported with its line")
  func aScriptIsReadAsAWhole() throws {
    let script = try ShellScript("read 2A19\n\n# comment\nsleep 1", path: "x")
    #expect(script.lines.map(\.number) == [1, 2, 3, 4])
    for (text, place) in [
      ("read 2A19\nraed 2A19", "x.ble:2: Unknown command 'raed'. Did you mean 'read'?"),
      ("\n\nread", "x.ble:3: Missing expected argument '<characteristic>'"),
      (
        "write 2A06 300 --format uint8", "x.ble:1: The value '300' is invalid for '<value>': 300 does not fit: 0 to 255"
      ),
      ("sleep soon", "x.ble:1: The value 'soon' is invalid for '<seconds>': expected a number of seconds"),
      ("read \"x", "x.ble:1: The quote \" is not closed"), ("quit now", "x.ble:1: Unexpected argument 'now'"),
    ] {
      do throws(ToolError) {
        _ = try ShellScript(text, path: "x.ble")
        Issue.record("\(text) was taken")
      } catch {
        #expect(error.status == .badData && error.message.hasPrefix(place), "\(error.message)")
      }
    }
  }

  @Test("Every command is explained, by itself and in the list")
  func everyCommandIsExplained() {
    let all = ShellHelp.text([ShellTree.parser.root])
    for node in ShellTree.parser.root.subcommands {
      #expect(all.contains("  \(node.name)") && all.contains(node.abstract))
      let own = ShellHelp.text([ShellTree.parser.root, node])
      #expect(own.contains("OVERVIEW: \(node.abstract)") && !own.contains("EXIT STATUS"))
    }
  }

  @Test("No line traps, whatever its contents")
  func noLineTrapsWhateverItsContents() {
    var generator = SystemRandomNumberGenerator()
    let alphabet = Array("rea d2A19\"'\\#-=\u{1B}\u{0}你👋\t")
    for _ in 0..<2_000 {
      let line = String(
        (0..<Int.random(in: 0...40, using: &generator)).compactMap { _ in alphabet.randomElement(using: &generator) })
      _ = try? ShellLine(text: line, number: 1).invocation()
      let completion = ShellCompletion.completion(of: line, Self.known)
      #expect(completion.replacing <= line.count)
    }
  }
}
