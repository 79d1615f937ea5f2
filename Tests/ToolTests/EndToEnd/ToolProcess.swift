import Foundation
import Testing

/// The built tool as a process, its output kept line by line as it is printed.
final class ToolProcess: Sendable {
  /// Shared with the threads that read the pipes; `@unchecked`: touched under its condition only.
  private final class Record: @unchecked Sendable {
    private let condition = NSCondition()
    private var lines: [String] = []
    private var errors: [String] = []
    private var openPipes = 2
    private var status: Int32?

    func add(_ line: String, isError: Bool) {
      condition.withLock {
        if isError { errors.append(line) } else { lines.append(line) }
        condition.broadcast()
      }
    }

    func closePipe() {
      condition.withLock {
        openPipes -= 1
        condition.broadcast()
      }
    }

    func end(_ status: Int32) {
      condition.withLock {
        self.status = status
        condition.broadcast()
      }
    }

    /// The first result of `find` that is not `nil`; `nil` after `seconds`.
    func wait<Value>(
      _ seconds: Double,
      _ find: (_ output: (lines: [String], errors: [String]), _ isOver: Bool, _ status: Int32?) -> Value?
    ) -> Value? {
      let deadline = Date().addingTimeInterval(seconds)
      return condition.withLock {
        while true {
          if let value = find((lines, errors), openPipes == 0, status) { return value }
          if !condition.wait(until: deadline) { return find((lines, errors), openPipes == 0, status) }
        }
      }
    }

    var output: (lines: [String], errors: [String]) { condition.withLock { (lines, errors) } }
  }

  private let record = Record()
  private let process: LockedProcess
  private let title: String

  /// `Process` is not `Sendable`; `@unchecked`: after the start only its thread-safe calls are used.
  private final class LockedProcess: @unchecked Sendable {
    let process = Process()
    let input = Pipe()
  }

  /// In the same folder as the test bundle.
  private static let executable = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()

  convenience init(_ arguments: [String], environment: [String: String]) throws {
    try self.init(Self.findExecutable(), arguments, environment)
  }

  convenience init(script: String, environment: [String: String]) throws {
    var environment = environment
    environment["BLE_TOOL"] = try Self.findExecutable().path
    try self.init(URL(fileURLWithPath: "/bin/sh"), ["-c", script], environment)
  }

  private init(_ executable: URL, _ arguments: [String], _ environment: [String: String]) throws {
    title = ([executable.lastPathComponent] + arguments).joined(separator: " ")
    process = LockedProcess()
    let process = process.process
    process.executableURL = executable
    process.arguments = arguments
    process.environment = environment
    let (output, errors) = (Pipe(), Pipe())
    process.standardInput = self.process.input
    process.standardOutput = output
    process.standardError = errors
    process.terminationHandler = { [record] process in
      let isSignal = process.terminationReason == .uncaughtSignal
      record.end(isSignal ? 128 + process.terminationStatus : process.terminationStatus)
    }
    try process.run()
    for (pipe, isError) in [(output, false), (errors, true)] { Self.read(pipe, isError, record) }
  }

  static func findExecutable() throws -> URL {
    let beside = executable.appendingPathComponent("ble")
    if FileManager.default.isExecutableFile(atPath: beside.path) { return beside }
    let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(separator: "/").dropFirst()
    let built = URL(fileURLWithPath: String(root)).appendingPathComponent(".build/debug/ble")
    try #require(FileManager.default.isExecutableFile(atPath: built.path), "\(built.path) was not built")
    return built
  }

  private static func read(_ pipe: Pipe, _ isError: Bool, _ record: Record) {
    let descriptor = pipe.fileHandleForReading.fileDescriptor
    Thread.detachNewThread {
      // The pipe stays open as long as it is read.
      withExtendedLifetime(pipe) {
        var pending: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = Foundation.read(descriptor, &buffer, buffer.count), count > 0 {
          for octet in buffer.prefix(count) {
            if octet == 0x0A {
              record.add(String(decoding: pending, as: UTF8.self), isError: isError)
              pending = []
            } else {
              pending.append(octet)
            }
          }
        }
      }
      // Foundation keeps the process, and with it its pipes, for longer than it runs: a thousand descriptors in one test run.
      try? pipe.fileHandleForReading.close()
      record.closePipe()
    }
  }

  /// Its output so far, for messages.
  var transcript: String {
    let output = record.output
    return (["$ \(title)"] + output.lines + output.errors.map { "! " + $0 }).joined(separator: "\n")
  }

  var errors: [String] { record.output.errors }

  /// The first line on the standard output that `matches`, already printed or still to come.
  @discardableResult
  func line(
    within seconds: Double = 60, _ matches: @Sendable (String) -> Bool,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> String {
    let found = record.wait(seconds) { output, isOver, _ -> String?? in
      if let line = output.lines.first(where: matches) { return .some(.some(line)) }
      return isOver ? .some(nil) : nil
    }
    return try #require(found ?? nil, "not within \(seconds) s:\n\(transcript)", sourceLocation: sourceLocation)
  }

  /// Waits for a line on the standard error.
  func complaint(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let isThere = record.wait(60) { output, isOver, _ in output.errors.contains(text) ? true : isOver ? false : nil }
    try #require(isThere == true, "not within 60 s: '\(text)'\n\(transcript)", sourceLocation: sourceLocation)
  }

  /// The first event of that name, as JSON.
  @discardableResult
  func event(
    _ name: String, within seconds: Double = 60, where matches: @Sendable ([String: Any]) -> Bool = { _ in true },
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> [String: Any] {
    let text = try line(
      within: seconds,
      { line in
        guard let event = Self.object(line), event["event"] as? String == name else { return false }
        return matches(event)
      }, sourceLocation: sourceLocation)
    return try #require(Self.object(text))
  }

  static func object(_ line: String) -> [String: Any]? {
    try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
  }

  /// The tool's message where it was asked to end and could not end properly.
  static let brokenOff = "Error: Links were not closed within 6 s, and are left to their time-outs."

  /// Its exit status and its lines, once it has ended by itself.
  func finish(
    within seconds: Double = 60, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> (status: Int32, lines: [String]) {
    let status = record.wait(seconds) { _, isOver, status in isOver ? status : nil }
    let ended = try #require(status, "still running after \(seconds) s:\n\(transcript)", sourceLocation: sourceLocation)
    #expect(!record.output.errors.contains(Self.brokenOff), "\(transcript)", sourceLocation: sourceLocation)
    return (ended, record.output.lines)
  }

  func send(_ signal: Int32) { kill(process.process.processIdentifier, signal) }

  func type(_ text: String) { process.input.fileHandleForWriting.write(Data(text.utf8)) }
  func endInput() { try? process.input.fileHandleForWriting.close() }

  /// Kills it, whatever it does.
  func kill9() {
    send(SIGKILL)
    _ = record.wait(5) { _, _, status in status }
  }

  deinit {
    if process.process.isRunning { send(SIGKILL) }
    endInput()
  }
}
