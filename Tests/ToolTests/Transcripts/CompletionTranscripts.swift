import Foundation
import Testing

/// The completion scripts in their shells, on a terminal: the effect of the tab key on a line.
@Suite("Completion in shells", .serialized, .timeLimit(.minutes(10)))
struct CompletionTranscripts {
  private let place = Neighbourhood()

  /// A shell on a terminal, without the user's own startup files; `nil` where it is not installed.
  private func shell(_ name: String, _ options: String..., prompt: [String: String]) throws -> TerminalProcess? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    guard let path = folders.map({ "\($0)/\(name)" }).first(where: FileManager.default.isExecutableFile) else {
      print("skipped: there is no \(name)")
      return nil
    }
    let tool = try ToolProcess.findExecutable().deletingLastPathComponent().path
    let environment = place.environment.merging(
      ["TERM": "xterm-256color", "LANG": "C.UTF-8", "HOME": place.path("home"), "PATH": "\(tool):/usr/bin:/bin"]
    ) { $1 }.merging(prompt) { $1 }
    try FileManager.default.createDirectory(atPath: place.path("home"), withIntermediateDirectories: true)
    let lock = try String(contentsOfFile: Neighbourhood.example("Devices/lock.json"), encoding: .utf8)
    _ = try place.file("home/lock.json", lock)
    try place.serve("owenli")
    #expect(try place.run("scan", "--count", "1").status == 0)
    return try TerminalProcess(
      URL(fileURLWithPath: path), options, environment: environment, columns: 120, rows: 40)
  }

  /// Types the commands from the help of `ble completion`, then lines with tabs.
  private func check(_ terminal: TerminalProcess, load: String) throws {
    defer { terminal.kill9() }
    try terminal.see("here>")
    terminal.type(load + "; cd; echo load''ed\r")
    let model = try terminal.until("the script is loaded") { $0.screen.contains("loaded") }
    #expect(model.screen[1] == "loaded", "without a word: \(terminal.transcript)")
    for (typed, whole) in [
      ("ble expl\t", "ble explore"), ("ble capture sh\t", "ble capture show"),
      ("ble scan --min-r\t", "ble scan --min-rssi"), ("ble read x 2A19 --format base\t", "--format base64"),
      ("ble serve owe\t", "ble serve owenli"),
      // I15.7: what the script asks the tool for.
      ("ble explore Owe\t", "ble explore Owenli"), ("ble history x.sqlite va\t", "ble history x.sqlite values"),
      ("ble command lock.json unl\t", "ble command lock.json unlock"),
      ("ble command lock.json unlock sec\t", "ble command lock.json unlock seconds="),
      ("ble command lock.json unlock --target Owe\t", "--target Owenli"),
    ] {
      terminal.type("\u{15}" + typed)
      try terminal.until("'\(typed)' becomes '\(whole)'") { model in
        model.screen.contains { $0.trimmingCharacters(in: .whitespaces).hasSuffix(whole) }
      }
    }
  }

  @Test("I15.7 bash loads its script and completes, also what it asks the tool for")
  func bashLoadsItsScriptAndCompletes() throws {
    guard let terminal = try shell("bash", "--norc", "--noprofile", "-i", prompt: ["PS1": "here> "]) else { return }
    try check(terminal, load: #"eval "$(ble completion bash)""#)
  }

  @Test("I15.7 zsh loads its script and completes, also what it asks the tool for")
  func zshLoadsItsScriptAndCompletes() throws {
    guard let terminal = try shell("zsh", "-f", "-i", prompt: ["PS1": "here> "]) else { return }
    try check(terminal, load: #"autoload -U compinit; compinit -D -u; eval "$(ble completion zsh)""#)
  }

  @Test("I15.7 fish loads its script and completes, also what it asks the tool for")
  func fishLoadsItsScriptAndCompletes() throws {
    let prompt = "function fish_prompt; echo -n 'here> '; end; set -g fish_greeting"
    guard
      let terminal = try shell("fish", "--no-config", "-i", "-C", prompt, prompt: ["fish_color_autosuggestion": ""])
    else { return }
    try check(terminal, load: "ble completion fish | source")
  }
}
