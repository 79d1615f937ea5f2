import BLEAdapter
import BLECore
import Foundation
import Testing

@testable import ble

/// Completion scripts and the manual: generated from the command tree, and accepted by the programs that they are for.
@Suite("Completion and manual")
struct CompletionTests {
  private static let script = CompletionScript(Tool.parser)

  /// The output of a program; `nil` where it is not installed.
  private func run(_ program: String, _ arguments: [String], input: String = "") throws -> (
    status: Int32, text: String
  )? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    guard let path = folders.map({ "\($0)/\(program)" }).first(where: FileManager.default.isExecutableFile) else {
      print("skipped: there is no \(program)")
      return nil
    }
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(
      "ble-c-\(UInt32.random(in: .min ... .max))")
    try Data(input.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments.map { $0 == "FILE" ? file.path : $0.replacing("FILE", with: file.path) }
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }

  /// The completions of bash for a line whose last word is being typed.
  private func offers(_ words: String...) throws -> Set<String>? {
    let quoted = words.map(CompletionScript.quoted).joined(separator: " ")
    let commands =
      "source FILE; COMP_WORDS=(\(quoted)); COMP_CWORD=\(words.count - 1); _ble; printf '%s\\n' \"${COMPREPLY[@]}\""
    guard let result = try run("bash", ["-u", "-c", commands], input: Self.script.text(for: .bash)) else { return nil }
    #expect(result.status == 0, "\(result.text)")
    return Set(result.text.split(separator: "\n").map(String.init))
  }

  @Test("Every command and every option is in each script")
  func everyCommandAndEveryOptionIsInEachScript() {
    for shell in CompletionScript.Shell.allCases {
      let text = Self.script.text(for: shell)
      for entry in Self.script.entries {
        #expect(
          text.contains(entry.words) || text.contains(entry.path.joined(separator: "_")), "\(shell): \(entry.words)")
        for option in entry.options { #expect(text.contains(option.name), "\(shell): \(entry.words) \(option.name)") }
      }
    }
  }

  @Test("bash completes commands, options and values")
  func bashCompletesCommandsOptionsAndValues() throws {
    guard let first = try offers("ble", "sc") else { return }
    #expect(first == ["scan"])
    #expect(try offers("ble", "")?.isSuperset(of: ["scan", "read", "help", "capture"]) == true)
    #expect(try offers("ble", "capture", "") == ["show", "redact", "help"])
    #expect(try offers("ble", "scan", "--min")?.contains("--min-rssi") == true)
    #expect(try offers("ble", "read", "x", "2A19", "--format", "uint24") == ["uint24le", "uint24be"])
    #expect(try offers("ble", "read", "x", "2A19", "--format", "=", "b") == ["base64"])
    #expect(try offers("ble", "serve", "owe") == ["owenli"])
    #expect(try offers("ble", "completion", "z") == ["zsh"])
    #expect(try offers("ble", "scan", "--name", "x")?.isEmpty == true)
    // A value with the name of a command is no command.
    #expect(try offers("ble", "l2cap", "conn") == ["connect"])
  }

  @Test(
    "I15.7 a script asks for devices that were heard, the commands of a device file and their fields, and tables",
    arguments: [
      (["read", ""], ["Owenli", "My dear"]), (["read", "Ow"], ["Owenli", "My dear"]), (["read", "Owenli", ""], []),
      (["--timeout", "3", "read", ""], ["Owenli", "My dear"]),
      (["read", "--timeout", "3", ""], ["Owenli", "My dear"]),
      (["read", "--format", "=", "hex", "Ow"], ["Owenli", "My dear"]),
      (["record", "Owenli", ""], ["Owenli", "My dear"]), (["bonds", "remove", ""], ["Owenli", "My dear"]),
      (["history", "x.sqlite", ""], ["devices", "sessions", "connections", "values", "rssi", "events"]),
      (["history", "x.sqlite", "--device", ""], ["Owenli", "My dear"]), (["history", ""], []),
      (["command", "LOCK", "--target", ""], ["Owenli", "My dear"]), (["command", ""], []),
      (["command", "/nowhere", ""], ["list", "check", "listen", "raw"]),
      (["command", "LOCK", "unlock", ""], ["pin=", "seconds="]),
      (["command", "LOCK", "unlock", "pin=1", ""], ["seconds="]),
      (["command", "LOCK", "unlock", "pin", "=", "123456", "se"], ["seconds="]),
      (["command", "LOCK", "unlock", "pin", "="], []), (["command", "LOCK", "unlock", "pin", "=", "1"], []),
      (["command", "LOCK", "nonsense", ""], []), (["scan", ""], []), (["capture", "show", ""], []), ([], []),
      ([""], []),
    ] as [([String], [String])])
  func aScriptAsksForValues(words: [String], candidates: [String]) {
    let lock = Neighbourhood.example("Devices/lock.json")
    let values = CompletionValues(parser: Tool.parser) { _ in ["Owenli", "My dear"] }
    #expect(values.candidates(for: words.map { $0 == "LOCK" ? lock : $0 }) == candidates)
  }

  @Test("I15.7 a device file's commands are offered before the words for all files")
  func aDeviceFilesCommandsAreOffered() {
    let values = CompletionValues(parser: Tool.parser) { _ in [] }
    let offered = values.candidates(for: ["command", Neighbourhood.example("Devices/lock.json"), ""])
    #expect(Array(offered.suffix(4)) == ["list", "check", "listen", "raw"] && offered.contains("unlock"))
  }

  @Test("I15.7 devices are offered by names that a line can contain, the latest first, and by identifiers as typed")
  func devicesAreOfferedByNames() {
    func peer(_ number: UInt64, _ name: String?, read: String? = nil) -> KnownPeer {
      let digits = "0000000\(number)-0000-4000-8000-000000000000"
      return KnownPeer(
        identifier: PeerIdentifier(UUID(uuidString: digits) ?? UUID()), address: DeviceAddress(number, kind: .public),
        name: name, readName: read)
    }
    let heard = HeardTargets(peers: [
      peer(1, "old"), peer(2, nil), peer(3, "evil\n\u{1B}[2J"), peer(4, "-rf"), peer(5, "Short", read: "Whole name"),
      peer(6, "old"), peer(7, ""),
    ])
    #expect(heard.targets(typed: "") == ["old", "Whole name", "Short"])
    #expect(heard.targets(typed: "00000002") == heard.targets(typed: "") + ["00000002-0000-4000-8000-000000000000"])
  }

  @Test("bash and zsh and fish load their scripts without a message")
  func bashAndZshAndFishLoadTheirScripts() throws {
    if let bash = try run("bash", ["-n", "FILE"], input: Self.script.text(for: .bash)) {
      #expect(bash.status == 0 && bash.text.isEmpty, "\(bash.text)")
    }
    let commands =
      "autoload -U compinit; compinit -D -u; source FILE; whence -w _ble _ble_capture_show; print -r -- $_comps[ble]"
    if let zsh = try run("zsh", ["-f", "-c", commands], input: Self.script.text(for: .zsh)) {
      #expect(zsh.status == 0 && zsh.text == "_ble: function\n_ble_capture_show: function\n_ble\n", "\(zsh.text)")
    }
    let question = "source FILE; complete -C 'ble sc'; complete -C 'ble capture '"
    if let fish = try run("fish", ["--no-config", "-c", question], input: Self.script.text(for: .fish)) {
      #expect(fish.status == 0 && fish.text.contains("scan\t") && fish.text.contains("show\t"), "\(fish.text)")
    }
  }

  @Test("man accepts the manual without a warning, and everything is in it")
  func manAcceptsTheManualWithoutAWarning() throws {
    let text = ManualPage(Tool.parser).text
    for status in ExitStatus.allCases { #expect(text.contains(".B \(status.rawValue)\n")) }
    if let groff = try run("groff", ["-ww", "-z", "-man", "-Tutf8", "FILE"], input: text) {
      #expect(groff.status == 0 && groff.text.isEmpty, "\(groff.text)")
    }
    guard let shown = try run("man", ["--warnings", "-E", "UTF-8", "-l", "FILE"], input: text), shown.status == 0 else {
      return
    }
    let plain = shown.text.replacing(#/.\x08/#, with: "")
    for entry in Self.script.entries.dropFirst() {
      #expect(plain.contains(entry.path.dropFirst().joined(separator: " ")), "\(entry.words)")
      for option in entry.node.options { #expect(plain.contains(option.spelling), "\(entry.words) \(option.spelling)") }
    }
    #expect(plain.contains("BLE_ADAPTER") && !plain.contains("warning:"))
  }
}
