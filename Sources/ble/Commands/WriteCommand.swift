/// `ble write`: writes a characteristic.
struct WriteCommand: ToolCommand {
  static let value = Argument("value", "The value, at most 512 octets; - is the standard input.")
  static let format = Option.value(
    "format", "format", standard: "utf8",
    "What the value is written in: \(ValueFormat.help). Several numbers have commas between them.")
  static let withoutResponse = Option.flag("without-response", "Send it without asking for an answer.")

  static let node = CommandNode(
    "write", abstract: "Write a characteristic.",
    arguments: [ExploreCommand.target, ReadCommand.characteristic, value], options: [format, withoutResponse]
  ) { (arguments) throws(UsageError) in
    let format: ValueFormat = try arguments.value(of: Self.format) ?? .utf8
    let text: String = try arguments.value(of: value)
    var octets: [UInt8]?
    if text != "-" {
      do throws(ArgumentValueError) {
        octets = try format.octets(of: text)
      } catch {
        throw UsageError("The value '\(text.inert)' is invalid for '<value>': \(error.reason)")
      }
    }
    return WriteCommand(
      target: try arguments.value(of: ExploreCommand.target),
      characteristic: try arguments.value(of: ReadCommand.characteristic), octets: octets, format: format,
      needsResponse: !arguments.isGiven(withoutResponse))
  }

  let target: Target
  let characteristic: CharacteristicName
  /// `nil`: from the standard input.
  let octets: [UInt8]?
  let format: ValueFormat
  let needsResponse: Bool

  func run(in session: Session) async throws(ToolError) {
    let octets = if let octets { octets } else { try await StandardInput.value(in: format, session) }
    let (name, needsResponse) = (characteristic, needsResponse)
    try await KeptDevice.use(target, in: session) { (device) async throws(ToolError) in
      try await device.write(octets, to: name, needsResponse: needsResponse)
    }
  }
}
