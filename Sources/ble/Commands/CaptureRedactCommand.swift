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

  /// What is remembered of the links of one controller is bounded; so must their number be.
  private static let controllerLimit = 256

  let path: String
  let target: String

  func run(in session: Session) async throws(ToolError) {
    let reader = try CaptureFile.open(path)
    let writer = try CaptureFile.writer(to: target, insteadOf: path)
    let several = writer as? PcapNGWriter
    // Each controller of a capture has its own links, and a number of its own in the copy, in the order of appearance.
    var redactions: [Int: CaptureRedaction] = [:]
    var numbers: [Int: Int] = [:]
    var left = 0
    while let packet = try CaptureFile.next(of: reader, at: path) {
      guard case .hci(let hci, let direction) = packet.content else {
        left += 1
        continue
      }
      if numbers.isEmpty { numbers[packet.interface] = 0 }
      if let several, numbers[packet.interface] == nil {
        guard numbers.count < Self.controllerLimit else {
          throw ToolError(.badData, "\(path.inert): more than \(Self.controllerLimit) controllers")
        }
        numbers[packet.interface] = several.addInterface(.hci, name: "controller \(packet.interface + 1)")
      }
      guard let number = numbers[packet.interface] else {
        left += 1
        continue
      }
      var copy = packet
      copy.interface = number
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
