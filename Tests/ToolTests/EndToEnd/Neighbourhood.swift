import Foundation
import Testing

/// A test's own air and state folder; processes started in it end with it.
final class Neighbourhood {
  let folder: URL
  private var processes: [ToolProcess] = []
  private var terminals: [TerminalProcess] = []

  init() {
    // Short: the paths of sockets are limited in length.
    folder = URL(fileURLWithPath: "/tmp/ble-t-\(String(UInt32.random(in: .min ... .max), radix: 16))")
    for name in ["run", "state", "config"] {
      #expect(throws: Never.self) {
        try FileManager.default.createDirectory(
          at: folder.appendingPathComponent(name), withIntermediateDirectories: true,
          attributes: [.posixPermissions: 0o700])
      }
    }
  }

  /// Starts the tool.
  func ble(_ arguments: String...) throws -> ToolProcess { try ble(arguments) }

  func ble(_ arguments: [String]) throws -> ToolProcess {
    try start { try ToolProcess(arguments, environment: $0) }
  }

  /// Starts a shell that finds the tool in `BLE_TOOL`.
  func shell(_ script: String) throws -> ToolProcess {
    try start { try ToolProcess(script: script, environment: $0) }
  }

  /// Starts the tool on a terminal of its own. `environment` contains the differences from a neighbour's usual one.
  func terminal(
    _ arguments: String..., columns: Int = 120, rows: Int = 40, environment changes: [String: String] = [:]
  ) throws -> TerminalProcess {
    try terminal(arguments, columns: columns, rows: rows, environment: changes)
  }

  func terminal(
    _ arguments: [String], columns: Int = 120, rows: Int = 40, environment changes: [String: String] = [:]
  ) throws -> TerminalProcess {
    var environment = environment.merging(["TERM": "xterm-256color", "LANG": "C.UTF-8"]) { $1 }
    for name in ["NO_COLOR", "COLUMNS", "LINES"] { environment[name] = nil }
    let terminal = try TerminalProcess(
      ToolProcess.findExecutable(), arguments, environment: environment.merging(changes) { $1 }, columns: columns,
      rows: rows)
    terminals.append(terminal)
    return terminal
  }

  /// The environment of a process of this neighbourhood.
  var environment: [String: String] {
    var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("BLE_") }
    // Whatever adapter this machine has.
    environment["BLE_ADAPTER"] = "radio"
    environment["XDG_RUNTIME_DIR"] = folder.appendingPathComponent("run").path
    environment["XDG_STATE_HOME"] = folder.appendingPathComponent("state").path
    environment["XDG_CONFIG_HOME"] = folder.appendingPathComponent("config").path
    environment["TMPDIR"] = folder.path
    return environment
  }

  private func start(_ make: ([String: String]) throws -> ToolProcess) throws -> ToolProcess {
    let process = try make(environment)
    processes.append(process)
    return process
  }

  /// Runs the tool to its end.
  func run(_ arguments: String...) throws -> Run { try run(arguments) }

  func run(_ arguments: [String]) throws -> Run {
    let process = try ble(arguments)
    let (status, lines) = try process.finish()
    return Run(status: status, lines: lines, process: process)
  }

  /// A process of the tool that has ended.
  struct Run {
    let status: Int32
    let lines: [String]
    fileprivate let process: ToolProcess
    var errors: [String] { process.errors }
    var transcript: String { process.transcript }
    /// Its last line, as JSON.
    var document: [String: Any]? { lines.last.flatMap(ToolProcess.object) }
  }

  func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  /// Writes a file; returns its path.
  func file(_ name: String, _ text: String) throws -> String {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
    return path(name)
  }

  /// The path of a file in `Examples`.
  static func example(_ name: String) -> String {
    let root = URL(fileURLWithPath: #filePath).pathComponents.dropFirst().dropLast(4).joined(separator: "/")
    return "/\(root)/Examples/\(name)"
  }

  deinit {
    for process in processes { process.kill9() }
    for terminal in terminals { terminal.kill9() }
    try? FileManager.default.removeItem(at: folder)
  }
}
