import Dispatch
import Foundation

/// Turns the signals that end a program into the end of what it waits for, so that links are closed first.
@MainActor final class Signals {
  private var sources: [any DispatchSourceSignal] = []

  init(interrupting waiting: Waiting) {
    // A reader that has gone shows as an error of the write.
    signal(SIGPIPE, SIG_IGN)
    watch(SIGINT, ToolError(.interrupted, "Interrupted."), waiting)
    watch(SIGTERM, ToolError(.terminated, "Terminated."), waiting)
    watch(SIGHUP, ToolError(.terminated, "The terminal has gone."), waiting)
  }

  private func watch(_ number: Int32, _ reason: ToolError, _ waiting: Waiting) {
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
    source.setEventHandler {
      MainActor.assumeIsolated {
        // Asked twice: whatever hangs is not waited for.
        if waiting.interruption != nil { _exit(reason.status.rawValue) }
        waiting.interrupt(reason)
      }
    }
    source.resume()
    sources.append(source)
  }
}
