import BLEAdapter
import BLEDefaultStack
import Foundation

/// One run of the tool: its options, its output, and what it waits for.
@MainActor final class Session {
  let options: CommonOptions
  let output: Output
  let waiting = Waiting()
  let pairing: PairingDesk
  let service = ServiceManager()
  private let signals: Signals

  /// In seconds.
  var timeout: Double { options.timeout.value }

  init(options: CommonOptions, style: Style) {
    self.options = options
    self.output = Output(isJSON: options.isJSON, isQuiet: options.isQuiet, style: style)
    self.pairing = PairingDesk(options.pairing, output, waiting)
    self.signals = Signals(interrupting: waiting, isService: service.isRun)
    output.onClosed = { [waiting] in
      waiting.interrupt(ToolError(.outputClosed, "The reader of the standard output has closed it."))
    }
  }

  func run(_ command: any ToolCommand) async -> ExitStatus {
    var failure: ToolError?
    do {
      DefaultStack.setChoiceHandler(choiceHandler)
      try options.checkCapture()
      try command.prepare(in: self)
      try pairing.begin()
      try await pairing.makeOutOfBandData()
      try await command.run(in: self)
    } catch {
      failure = error
    }
    service.stopping()
    output.flush()
    // Commands that run until Ctrl-C end by it as intended; the exit status still says so.
    guard let error = failure ?? waiting.interruption else { return .done }
    switch error.status {
    case .interrupted, .terminated, .outputClosed: break
    default: output.failure(error)
    }
    return error.status
  }

  /// Prints which adapter was chosen if none was named.
  private var choiceHandler: @Sendable (AdapterChoice) -> Void {
    if options.isJSON || options.isQuiet { return { _ in } }
    return { choice in
      guard let line = choice.line else { return }
      if Thread.isMainThread {
        MainActor.assumeIsolated { Output.complain(line) }
      } else {
        onMain { Output.complain(line) }
      }
    }
  }
}

extension AdapterChoice {
  /// A line for people; `nil` if an adapter was named.
  var line: String? {
    guard case .success(let name) = name, remark != nil else { return nil }
    let kind = if case .radio = name { ", the embedded radio" } else { "" }
    return "Using \(name)\(kind): \(reason).".inert
  }
}
