import Dispatch
import Foundation

/// Turns the signals that end a program into the end of what it waits for, so that links are closed first.
@MainActor final class Signals {
  private var sources: [any DispatchSourceSignal] = []

  /// How long ending in good order may take, in seconds; also where the program is stuck in something.
  private nonisolated static let patience = 6.0

  init(interrupting waiting: Waiting) {
    // A reader that has gone shows as an error of the write.
    signal(SIGPIPE, SIG_IGN)
    watch(SIGINT, ToolError(.interrupted, "Interrupted."), waiting)
    watch(SIGTERM, ToolError(.terminated, "Terminated."), waiting)
    watch(SIGHUP, ToolError(.terminated, "The terminal has gone."), waiting)
  }

  private func watch(_ number: Int32, _ reason: ToolError, _ waiting: Waiting) {
    sources.append(Self.makeSource(number, reason, waiting))
  }

  /// Not on the main queue, which may be what is stuck.
  private nonisolated static func makeSource(
    _ number: Int32, _ reason: ToolError, _ waiting: Waiting
  ) -> any DispatchSourceSignal {
    let queue = DispatchQueue.global()
    let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
    let status = reason.status.rawValue
    source.setEventHandler {
      queue.asyncAfter(deadline: .now() + patience) {
        let words = Array(
          "Error: Links were not closed within \(Int(patience)) s, and are left to their time-outs.\n".utf8)
        // Not by way of the main queue's output: what is stuck may be just that.
        _ = write(STDERR_FILENO, words, words.count)
        end(status)
      }
      DispatchQueue.main.async {
        // Asked twice: whatever hangs is not waited for.
        if waiting.interruption != nil { end(status) }
        waiting.interrupt(reason)
      }
    }
    // Before it listens a signal ends the program, as nothing has begun yet. Ignored meanwhile it would be lost.
    let listens = DispatchSemaphore(value: 0)
    source.setRegistrationHandler { listens.signal() }
    source.resume()
    listens.wait()
    return source
  }

  /// At once, but for the terminal, which whoever comes next wants as it was.
  private nonisolated static func end(_ status: Int32) -> Never {
    TerminalMode.leave()
    _exit(status)
  }
}
