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
    try await KeptDevice.use(target, in: session) { (device) async throws(ToolError) in try await device.printTree() }
  }
}
