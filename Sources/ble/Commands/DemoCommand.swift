/// `ble demo`: everything in a few seconds.
struct DemoCommand: Command {
  static let node = CommandNode(
    "demo", abstract: "Watch a peripheral and a central meet: two programs, no hardware.",
    discussion: """
      Starts 'ble serve owenli' as a process of its own, on an air of their own, and is the central: finds it, connects, \
      prints what it offers, reads, writes, is notified for some seconds, disconnects, and leaves a capture behind. \
      The status is 0 only if all of it happened.
      """
  ) { (arguments) throws(UsageError) in
    if arguments.isGiven(CommonOptions.adapter) {
      throw UsageError("'--adapter' is of no use here: the demo has an air of its own")
    }
    return DemoCommand()
  }

  func run(in session: Session) async throws(ToolError) {
    session.output.note("Two programs and one radio, all in software: no Bluetooth hardware is used.")
    try await Demo(in: session).run()
  }
}
