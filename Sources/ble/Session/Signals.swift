import Dispatch
import Foundation

/// Interrupts what the program waits for when a signal should end it, so that links are closed first.
@MainActor final class Signals {
  private var sources: [any DispatchSourceSignal] = []

  /// The time limit of the clean-up, in seconds; it also holds if the main queue is blocked.
  private nonisolated static let patience = 6.0

  /// - Parameter isService: whether SIGHUP is left to the service manager's reload.
  init(interrupting waiting: Waiting, isService: Bool) {
    // A closed reader is reported as an error of the write.
    signal(SIGPIPE, SIG_IGN)
    watch(SIGINT, ToolError(.interrupted, "Interrupted."), waiting)
    watch(SIGTERM, ToolError(.terminated, "Terminated."), waiting)
    if !isService { watch(SIGHUP, ToolError(.terminated, "The terminal was closed."), waiting) }
  }

  private func watch(_ number: Int32, _ reason: ToolError, _ waiting: Waiting) {
    sources.append(Self.makeSource(number, reason, waiting))
  }

  /// Uses another queue than the main queue, which may be blocked.
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
        // Written directly, because the main queue, which owns the output, may be blocked.
        _ = write(STDERR_FILENO, words, words.count)
        end(status)
      }
      DispatchQueue.main.async {
        // The second signal ends the program immediately.
        if waiting.interruption != nil { end(status) }
        waiting.interrupt(reason)
      }
    }
    // Until the source is registered, the signal keeps its default action and ends the program; if it were ignored, it would be lost.
    let listens = DispatchSemaphore(value: 0)
    source.setRegistrationHandler { listens.signal() }
    source.resume()
    listens.wait()
    return source
  }

  /// Ends the program immediately, after restoring the terminal.
  private nonisolated static func end(_ status: Int32) -> Never {
    TerminalMode.leave()
    _exit(status)
  }
}
