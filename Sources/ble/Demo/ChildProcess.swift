import Foundation

/// A second process of this program, which ends at the latest with this process.
@MainActor final class ChildProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var reader: LineReader?
  private let waiting: Waiting

  var number: Int32 { process.processIdentifier }
  var isRunning: Bool { process.isRunning }

  /// Prepares the process.
  init(_ arguments: [String], waiting: Waiting) {
    self.waiting = waiting
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = arguments
    // The child ends when this pipe is closed, which also happens if this process is killed.
    process.standardInput = input
    process.standardOutput = output
  }

  func start(onLine: @escaping (String) -> Void) throws(ToolError) {
    process.terminationHandler = { [waiting] _ in
      onMain { waiting.changed() }
    }
    do {
      try process.run()
    } catch {
      throw ToolError(.failed, "A second process could not be started: \(error.localizedDescription)")
    }
    reader = LineReader(output.fileHandleForReading.fileDescriptor, onLine: onLine, onEnd: {})
  }

  /// Sends SIGTERM, waits for two seconds at most, then sends SIGKILL.
  func end() async {
    reader?.stop()
    guard process.isRunning else { return }
    process.terminate()
    do {
      try await waiting.until(within: 2, isCleanUp: true) { [process] in !process.isRunning }
    } catch {
      kill(process.processIdentifier, SIGKILL)
    }
  }
}
