import BLEAdapter
import BLEHost
import BLESession

struct ShellRSSI: ShellCommand {
  static let node = CommandNode("rssi", abstract: "Measure the RSSI.", make: Self.init)

  func run(in shell: Shell) async throws(ToolError) {
    let rssi = try await shell.device().readRSSI()
    if shell.output.isJSON { return shell.output.json(.object(["rssi": .integer(rssi)])) }
    shell.output.line("\(rssi) dBm \(Sparkline.bars(rssi))")
  }
}

struct ShellInfo: ShellCommand {
  static let node = CommandNode("info", abstract: "Print the device and the state of the link.", make: Self.init)

  func run(in shell: Shell) async throws(ToolError) { shell.tellInformation() }
}

struct ShellMTU: ShellCommand {
  static let node = CommandNode("mtu", abstract: "Print the longest value of one write.", make: Self.init)

  func run(in shell: Shell) async throws(ToolError) {
    let kept = try shell.device()
    let without = await kept.device.maximumWriteLength(withResponse: false)
    let with = await kept.device.maximumWriteLength(withResponse: true)
    let peer = kept.identifier.map { PeerIdentifier($0) }
    // Opcode and handle take three octets (Core, Vol 3 Part F 3.4.5), and a value has at most 512.
    let agreed = peer.flatMap { PairingDesk.stack?.maximumTransmissionUnit(with: $0) } ?? without + 3
    if shell.output.isJSON {
      return shell.output.json([
        "mtu": .integer(agreed), "without_response": .integer(without), "with_response": .integer(with),
      ])
    }
    shell.output.line("MTU \(agreed): \(without) octets without response, \(with) with response")
  }
}

struct ShellDisconnect: ShellCommand {
  static let node = CommandNode(
    "disconnect", abstract: "Close the connection; 'reconnect' opens it again.", make: Self.init)

  func run(in shell: Shell) async throws(ToolError) { await shell.disconnect() }
}

struct ShellReconnect: ShellCommand {
  static let node = CommandNode("reconnect", abstract: "Connect again, and restore subscriptions.", make: Self.init)

  func run(in shell: Shell) async throws(ToolError) { try await shell.reconnect() }
}

struct ShellSleep: ShellCommand {
  static let seconds = Parameter<Seconds>.argument("seconds", "How long.")
  static let node = CommandNode("sleep", abstract: "Wait, and print notified values.", seconds, make: Self.init)

  let seconds: Seconds

  func run(in shell: Shell) async throws(ToolError) { try await shell.session.waiting.pass(seconds: seconds.value) }
}

struct ShellQuit: ShellCommand {
  static let node = CommandNode("quit", abstract: "Disconnect and end.", make: Self.init)

  func run(in shell: Shell) async throws(ToolError) { shell.quit() }
}
