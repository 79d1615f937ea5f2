import Dispatch
import Foundation

/// The signals of a terminal: another size, Ctrl-Z, and the return from it.
@MainActor final class TerminalSignals {
  private var sources: [any DispatchSourceSignal] = []

  init(
    resize: @escaping @MainActor () -> Void, suspend: @escaping @MainActor () -> Void,
    resume: @escaping @MainActor () -> Void
  ) {
    signal(SIGTSTP, SIG_IGN)
    sources = [(SIGWINCH, resize), (SIGTSTP, suspend), (SIGCONT, resume)].map { number, act in
      let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
      source.setEventHandler { MainActor.assumeIsolated(act) }
      source.resume()
      return source
    }
  }

  func stop() {
    for source in sources { source.cancel() }
    signal(SIGTSTP, SIG_DFL)
  }
}
