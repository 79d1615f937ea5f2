/// `ble write`: writes a characteristic.
struct WriteCommand: ToolCommand {
  static let value = Parameter<String>.argument(
    "value", "The value, at most 512 octets; - is the standard input.")
  static let format = Parameter.option(
    "format", "format", standard: "utf8",
    "What the value is written in: \(ValueFormat.help). Several numbers have commas between them.", \ValueFormat.self)
  static let withoutResponse = Parameter.flag("without-response", "Send it without asking for an answer.")

  static let node = CommandNode(
    "write", abstract: "Write a characteristic.", ExploreCommand.target, ReadCommand.characteristic, value, format,
    withoutResponse
  ) { (target, characteristic, text, format, isCommand) throws(UsageError) in
    WriteCommand(
      target: target, characteristic: characteristic, octets: text == "-" ? nil : try octets(of: text, format),
      format: format, needsResponse: !isCommand)
  }

  /// The octets that a typed value means.
  static func octets(of text: String, _ format: ValueFormat) throws(UsageError) -> [UInt8] {
    do throws(ArgumentValueError) {
      return try format.octets(of: text)
    } catch {
      throw UsageError("The value '\(text.inert)' is invalid for '<value>': \(error.reason)")
    }
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
