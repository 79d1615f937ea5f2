import BLECapture

/// `ble capture show`: what a capture holds, in words.
struct CaptureShowCommand: Command {
  static let file = Argument("file", "A btsnoop file, as --capture writes it.")

  static let group = CommandNode(
    group: "capture", abstract: "Look into recorded traffic.",
    subcommands: [
      CommandNode("show", abstract: "Print the packets of a capture, decoded.", arguments: [file]) {
        (arguments) throws(UsageError) in CaptureShowCommand(path: try arguments.value(of: file))
      }
    ])

  let path: String

  func run(in session: Session) async throws(ToolError) {
    throw ToolError(.unavailable, "not yet")
  }
}
