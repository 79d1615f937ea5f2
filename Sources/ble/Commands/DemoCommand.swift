/// `ble demo`: a short demonstration of the main features.
@MainActor final class DemoCommand: ToolCommand {
  nonisolated static let node = CommandNode(
    "demo", abstract: "Watch a peripheral and a central meet: two programs, no hardware.",
    discussion: """
      Starts 'ble serve owenli' as a process of its own, on an air of their own, and is the central: finds it, connects, \
      prints what it offers, reads, writes, is notified for some seconds, disconnects, and leaves a capture behind. \
      The status is 0 only if all of it happened.
      """, Parameter.line
  ) { (line) throws(UsageError) in
    if line.isGiven(CommonOptions.adapter) {
      throw UsageError("'--adapter' is unusable here: the demo has an air of its own")
    }
    return DemoCommand()
  }

  private var stage: DemoStage?

  nonisolated init() {}

  /// The demo uses its own radio, whatever adapters the machine has and the command line names.
  func prepare(in session: Session) throws(ToolError) {
    let stage = try DemoStage(capture: session.options.capture)
    stage.enter()
    self.stage = stage
  }

  func run(in session: Session) async throws(ToolError) {
    guard let stage else { return }
    session.output.note("Two programs and one radio, all in software: no Bluetooth hardware is used.")
    try await Demo(on: stage, in: session).run()
  }
}
