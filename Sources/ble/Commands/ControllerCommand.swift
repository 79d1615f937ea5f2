import BLECore

/// `ble controller`: a simulated controller for a Bluetooth host in another program.
struct ControllerCommand: Command {
  static let listen = Option.value(
    "listen", "where", standard: "tcp-server:127.0.0.1:0",
    "tcp-server:<host>:<port> (port 0 is any free one) or unix-server:<path>.")
  static let air = Option.value("air", "name", "The air that its radio is on.")
  static let device = Option.value("device", "name", "Which device of that air it is: its address is kept.")
  static let address = Option.value("address", "address", "Its public device address, such as C0:12:34:56:78:9A.")
  static let allowRemote = Option.flag(
    "allow-remote", "Listen where other machines can connect. Whoever connects controls the radio.")

  static let node = CommandNode(
    "controller", abstract: "Offer a simulated controller to another Bluetooth host, as H4.",
    options: [listen, air, device, address, allowRemote]
  ) { (_) throws(UsageError) in ControllerCommand() }

  func run(in session: Session) async throws(ToolError) {
    throw ToolError(.unavailable, "not yet")
  }
}
