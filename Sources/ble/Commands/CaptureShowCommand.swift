import BLECapture
import Foundation

/// `ble capture show`: prints a capture as text.
struct CaptureShowCommand: ToolCommand {
  static let file = Parameter<String>.argument("file", "A btsnoop, pcapng, pcap or PacketLogger (.pklg) file.")

  static let keys = Parameter.option(
    "keys", "file", "The keys of encrypted links, as --capture-keys writes them.", \String.self)

  static let group = CommandNode(
    group: "capture", abstract: "Look into recorded traffic.",
    subcommands: [
      CommandNode(
        "show", abstract: "Print the packets of a capture, decoded.",
        discussion: """
          A line for each packet: seconds since the first, which way it went (< from the host, > to the host, * on the \
          air), and what it says in its highest layer. Encrypted links of the air are decrypted with the keys of a \
          file that --capture-keys wrote.
          """,
        file, keys, make: Self.init),
      CaptureRedactCommand.node,
    ])

  let path: String
  let keysPath: String?

  func run(in session: Session) async throws(ToolError) {
    let reader = try CaptureFile.open(path)
    let dissector = Dissector(keys: try keysPath.map(CaptureFile.keys) ?? CaptureKeys())
    var number = 0
    while let packet = try CaptureFile.next(of: reader, at: path) {
      number += 1
      let text = dissector.line(packet)
      session.output.collect(session.output.isJSON ? Self.json(packet, number, text).text : text)
      if number.isMultiple(of: 256) { await Task.yield() }
      // The reader of the output has closed it, or Ctrl-C was pressed.
      if let interruption = session.waiting.interruption { throw interruption }
    }
    if number == 0 { session.output.note("The capture has no packets.") }
    if let keysPath, dissector.sealedCount > 0 {
      let count = dissector.sealedCount
      session.output.note(
        dissector.openedCount == 0
          ? "None of the keys in \(keysPath.inert) fits: \(count) packets stay encrypted."
          : "No key in \(keysPath.inert) opens \(count) of the packets.")
    }
  }

  private static func json(_ packet: CapturedPacket, _ number: Int, _ text: String) -> JSONValue {
    let time = Date(timeIntervalSince1970: Double(packet.timestamp.nanoseconds) / 1e9)
      .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    let direction =
      switch packet.content {
      case .hci(_, .sent): "host-to-controller"
      case .hci(_, .received): "controller-to-host"
      case .air: "air"
      case .other: "other"
      }
    return .object([
      "number": .integer(number), "time": .string(time), "interface": .integer(packet.interface),
      "direction": .string(direction), "text": .string(text),
    ])
  }
}
