import Foundation

/// This program once more, as a process of its own, ended with this one whatever happens.
@MainActor final class ChildProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var reader: LineReader?
  private let waiting: Waiting

  var number: Int32 { process.processIdentifier }
  var isRunning: Bool { process.isRunning }

  /// Prepares it; `onLine` is told each line that it prints.
  init(_ arguments: [String], waiting: Waiting) {
    self.waiting = waiting
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = arguments
    // It ends when this pipe does, also where this process is killed.
    process.standardInput = input
    process.standardOutput = output
  }

  func start(onLine: @escaping (String) -> Void) throws(ToolError) {
    process.terminationHandler = { [waiting] _ in
      DispatchQueue.main.async { MainActor.assumeIsolated { waiting.changed() } }
    }
    do {
      try process.run()
    } catch {
      throw ToolError(.failed, "A second process could not be started: \(error.localizedDescription)")
    }
    reader = LineReader(output.fileHandleForReading.fileDescriptor, onLine: onLine, onEnd: {})
  }

  /// Asks it to end, waits for that, and insists after two seconds.
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
