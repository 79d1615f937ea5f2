/// `ble explore`: all services, characteristics and descriptors of a device.
struct ExploreCommand: ToolCommand {
  static let target = Argument("target", "The device: its name, identifier or address.")

  static let node = CommandNode(
    "explore", abstract: "Print a device's services, characteristics, descriptors and values.",
    arguments: [target]
  ) { (arguments) throws(UsageError) in
    ExploreCommand(target: try arguments.value(of: target))
  }

  let target: Target

  func run(in session: Session) async throws(ToolError) {
    let tree = try await ToolCentral(in: session).talk(to: target) { (device) async throws(ToolError) in
      try await device.explore()
    }
    if session.output.isJSON { return session.output.json(tree.json) }
    for line in tree.lines(session.output.style) { session.output.collect(line) }
  }
}
