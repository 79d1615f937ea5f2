import BLECapture

/// `ble capture redact`: a copy of a capture without secrets.
struct CaptureRedactCommand: ToolCommand {
  static let target = Parameter<String>.argument(
    "copy", "The file to write: pcapng where it ends with .pcapng, else btsnoop.")

  static let node = CommandNode(
    "redact", abstract: "Copy a capture without the keys in it.",
    discussion: """
      Takes out long-term keys, identity and signature keys, shared secrets, and the random numbers of pairing. Addresses, \
      names and values stay. Packets that are not between host and controller are left out, and where the copy is btsnoop \
      those of all controllers but the first.
      """,
    CaptureShowCommand.file, target, make: Self.init)

  let path: String
  let target: String

  func run(in session: Session) async throws(ToolError) {
    let reader = try CaptureFile.open(path)
    let writer = try CaptureFile.writer(to: target, insteadOf: path)
    let several = writer as? PcapNGWriter
    var interfaces = 1
    // Each controller of a capture has its own links.
    var redactions: [Int: CaptureRedaction] = [:]
    var left = 0
    while let packet = try CaptureFile.next(of: reader, at: path) {
      guard case .hci(let hci, let direction) = packet.content, several != nil || packet.interface == 0 else {
        left += 1
        continue
      }
      while let several, interfaces <= packet.interface {
        interfaces += 1
        several.addInterface(.hci, name: "controller \(interfaces)")
      }
      var copy = packet
      copy.content = .hci(
        redactions[packet.interface, default: CaptureRedaction()].redacted(hci, direction), direction)
      writer.write(copy)
      if let interruption = session.waiting.interruption { throw interruption }
    }
    writer.flush()
    if let failure = writer.failure { throw ToolError(.noInput, failure.description.inert) }
    session.output.note("\(writer.packetCount) packets copied\(left == 0 ? "" : ", \(left) left out").")
  }
}
