import BLECore
import Foundation
import Testing

@testable import ble

@Suite("Command lines")
struct CommandLineParserTests {
  private func run<Wanted: ToolCommand>(_ words: String..., as type: Wanted.Type = Wanted.self) throws -> Wanted {
    guard case .run(let command, _) = try Tool.parser.parse(words) else { throw Unexpected() }
    return try #require(command as? Wanted)
  }

  private struct Unexpected: Error {}

  private func failure(_ words: String...) -> UsageError? {
    do throws(UsageError) {
      _ = try Tool.parser.parse(words)
      return nil
    } catch {
      return error
    }
  }

  private func help(_ words: String...) throws -> [String] {
    guard case .help(let path) = try Tool.parser.parse(words) else { throw Unexpected() }
    return path.map(\.name)
  }

  @Test("An option takes its value from the next word or after an equals sign")
  func anOptionTakesItsValueFromTheNextWord() throws {
    #expect(try run("scan", "--duration", "2.5", as: ScanCommand.self).duration == 2.5)
    #expect(try run("scan", "--duration=2.5", as: ScanCommand.self).duration == 2.5)
    #expect(try run("scan", "--name=a=b", as: ScanCommand.self).filter.name == "a=b")
  }

  @Test("An option that may be repeated keeps all its values")
  func anOptionThatMayBeRepeatedKeepsAllItsValues() throws {
    let command: ScanCommand = try run("scan", "--service", "180F", "--service", "FFF0")
    #expect(command.filter.services == [BLEUUID(0x180F), BLEUUID(0xFFF0)])
  }

  @Test("Words after a double dash are no options")
  func wordsAfterADoubleDashAreNoOptions() throws {
    let command: WriteCommand = try run("write", "--", "--json", "FFF2", "-5")
    #expect(command.target == .name("--json"))
    #expect(command.octets == Array("-5".utf8))
  }

  @Test("Common options are accepted before and after the command")
  func commonOptionsAreAcceptedBeforeAndAfterTheCommand() throws {
    for words in [["--json", "scan"], ["scan", "--json"]] {
      guard case .run(_, let arguments) = try Tool.parser.parse(words) else { throw Unexpected() }
      #expect(try CommonOptions(arguments).isJSON)
    }
  }

  @Test("Verbosity counts", arguments: [(["-v"], 1), (["-vv"], 2), (["-v", "--verbose", "-v"], 3)])
  func verbosityCounts(words: [String], verbosity: Int) throws {
    guard case .run(_, let arguments) = try Tool.parser.parse(["scan"] + words) else { throw Unexpected() }
    #expect(try CommonOptions(arguments).verbosity == verbosity)
  }

  @Test("Help is available on every level, in three spellings")
  func helpIsAvailableOnEveryLevel() throws {
    #expect(try help("--help") == ["ble"])
    #expect(try help() == ["ble"])
    #expect(try help("scan", "-h") == ["ble", "scan"])
    #expect(try help("help", "scan") == ["ble", "scan"])
    #expect(try help("capture", "show", "--help") == ["ble", "capture", "show"])
    #expect(try help("help", "capture", "show") == ["ble", "capture", "show"])
  }

  @Test("The version option is accepted at the top level only")
  func theVersionOptionIsAcceptedAtTheTopLevel() throws {
    guard case .version = try Tool.parser.parse(["--version"]) else { throw Unexpected() }
    #expect(failure("scan", "--version") != nil)
  }

  @Test(
    "An invalid command line is explained",
    arguments: [
      (["scn"], "Unknown command 'scn'. Did you mean 'scan'?"),
      (["sevre", "owenli"], "Unknown command 'sevre'. Did you mean 'serve'?"),
      (["scan", "--jsno"], "Unknown option '--jsno'. Did you mean '--json'?"),
      (["scan", "--dup"], "Unknown option '--dup'. Did you mean '--duplicates'?"),
      (["scan", "--qqqqqqqq"], "Unknown option '--qqqqqqqq'"),
      (["scan", "-x"], "Unknown option '-x'"),
      (["serve", "batery"], "Did you mean 'battery'?"),
      (["read", "Owenli"], "Missing expected argument '<characteristic>'"),
      (["read", "a", "b", "c"], "Unexpected argument 'c'"),
      (["scan", "--duration"], "Missing value for '--duration <seconds>'"),
      (["scan", "--name", "--json"], "Missing value for '--name <name>'"),
      (["scan", "--duration", "soon"], "The value 'soon' is invalid for '--duration <seconds>'"),
      (["scan", "--duration", "nan"], "is invalid"),
      (["scan", "--duration", "-1"], "expected a number of seconds"),
      (["scan", "--duration", "--json"], "Missing value"),
      (["scan", "--service", "18"], "expected a UUID"),
      (["scan", "--count", "0"], "expected a number of 1 or more"),
      (["scan", "--json=yes"], "The option '--json' takes no value"),
      (["write", "a", "FFF2", "0x1", "--format", "hex"], "pairs of hexadecimal digits"),
      (["read", "", "FFF2"], "expected a name, an identifier or an address"),
      (["read", "a", "/FFF2"], "expected a UUID such as 2A19"),
      (["capture"], "Missing a command: one of show"),
      (["demo", "--adapter", "radio"], "an air of its own"),
      (["controller", "--adapter", "radio"], "'--air' and '--device'"),
      (["controller", "--listen", "tcp-server:0.0.0.0:0"], "say '--allow-remote'"),
      (["controller", "--listen", "tcp-server:127.evil.example.1:0"], "say '--allow-remote'"),
      (["controller", "--listen", "tcp-server:[::]:0"], "say '--allow-remote'"),
      (["controller", "--listen", "tcp-sever:127.0.0.1:0"], "Did you mean 'tcp-server'?"),
      (["controller", "--listen", "tcp-server:127.0.0.1:70000"], "expected tcp-server:<host>:<port>"),
      (["controller", "--listen", "unix-server:"], "expected unix-server:<path>"),
      (["controller", "--device", "../x"], "1 to 64 letters"),
      (["controller", "--address", "C0:12"], "expected an address"),
    ])
  func anInvalidCommandLineIsExplained(words: [String], message: String) throws {
    let failure = try #require(throws: UsageError.self) { _ = try Tool.parser.parse(words) }
    #expect(failure.message.contains(message), "\(failure.message)")
  }

  @Test(
    "An invalid adapter name is refused before anything is started",
    arguments: ["tcp-client:host", "radio:a b", "tcp-client:h:70000", "rdio"])
  func anInvalidAdapterNameIsRefusedBeforeAnythingIsStarted(name: String) throws {
    guard case .run(_, let arguments) = try Tool.parser.parse(["scan", "--adapter", name]) else { throw Unexpected() }
    let failure = try #require(throws: UsageError.self) { _ = try CommonOptions(arguments) }
    #expect(failure.message.contains("is invalid for '--adapter <name>'"))
  }

  @Test("Quiet and verbose contradict each other")
  func quietAndVerboseContradict() throws {
    guard case .run(_, let arguments) = try Tool.parser.parse(["scan", "-v", "--quiet"]) else { throw Unexpected() }
    #expect(throws: UsageError.self) { _ = try CommonOptions(arguments) }
  }

  @Test("A usage error names the command that was recognised")
  func aUsageErrorNamesTheCommandThatWasRecognised() {
    #expect(failure("capture", "show", "--nonsense")?.path == ["ble", "capture", "show"])
    #expect(failure("nonsense")?.path == ["ble"])
  }

  @Test("Quoted input in an error is escaped")
  func quotedInputInAnErrorIsEscaped() {
    #expect(failure("\u{1B}[31m")?.message.contains("\u{1B}") == false)
    #expect(failure("scan", "--\u{202E}x")?.message.contains("\u{202E}") == false)
  }

  @Test("A target is a name, an identifier or an address")
  func aTargetIsAName() throws {
    #expect(try Target(argument: "Owenli") == .name("Owenli"))
    #expect(try Target(argument: "C0:12:34:56:78:9a") == .address(0xC012_3456_789A))
    let identifier = UUID()
    #expect(try Target(argument: identifier.uuidString.lowercased()) == .identifier(identifier))
  }

  @Test("A controller listens on this machine, and prints its assigned port")
  func aControllerListensOnThisMachine() throws {
    let standard: ControllerCommand = try run("controller")
    #expect(standard.endpoint.isLocal && standard.air == "default")
    #expect(standard.endpoint.names(port: 4000).connect == "tcp-client:127.0.0.1:4000")
    let bracketed: ControllerCommand = try run("controller", "--listen", "tcp-server:[::1]:9")
    #expect(bracketed.endpoint.place == .tcp(host: "::1", port: 9))
    let remote: ControllerCommand = try run("controller", "--listen=tcp-server:0.0.0.0:9", "--allow-remote")
    #expect(remote.allowsRemote && !remote.endpoint.isLocal)
    let named: ControllerCommand = try run("controller", "--address", "C0:12:34:56:78:9A")
    #expect(named.address == DeviceAddress(0xC012_3456_789A, kind: .random))
  }

  @Test("Hexadecimal values may have separators, and at most 512 octets")
  func hexadecimalValuesMayHaveSeparators() throws {
    #expect(try ValueFormat.hex.octets(of: "0x01fF") == [0x01, 0xFF])
    #expect(try ValueFormat.hex.octets(of: "01:02-03 04") == [1, 2, 3, 4])
    #expect(try ValueFormat.hex.octets(of: "") == [])
    #expect(throws: ArgumentValueError.self) { try ValueFormat.hex.octets(of: "012") }
    #expect(throws: ArgumentValueError.self) { try ValueFormat.hex.octets(of: "0g") }
    #expect(try ValueFormat.utf8.octets(of: String(repeating: "a", count: 512)).count == 512)
    #expect(throws: ArgumentValueError.self) { try ValueFormat.utf8.octets(of: String(repeating: "a", count: 513)) }
  }
}
