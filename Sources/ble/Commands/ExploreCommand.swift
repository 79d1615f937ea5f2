/// `ble explore`: all services, characteristics and descriptors of a device.
struct ExploreCommand: ToolCommand {
  static let target = Parameter<Target>.argument("target", "The device: its name, identifier or address.")

  static let node = CommandNode(
    "explore", abstract: "Print a device's services, characteristics, descriptors and values.",
    target, make: Self.init)

  let target: Target

  func run(in session: Session) async throws(ToolError) {
    try await KeptDevice.use(target, in: session) { (device) async throws(ToolError) in try await device.printTree() }
  }
}
