/// `ble read`: the value of one characteristic.
struct ReadCommand: ToolCommand {
  static let characteristic = Argument("characteristic", "The characteristic: 2A19, 180F/2A19 or \"Battery Level\".")
  static let format = Option.value(
    "format", "format",
    "How to print values: \(ValueFormat.help). Without it: in words where the value has an assigned meaning, else as text and octets."
  )

  static let node = CommandNode(
    "read", abstract: "Read a characteristic.",
    arguments: [ExploreCommand.target, characteristic], options: [format]
  ) { (arguments) throws(UsageError) in
    ReadCommand(
      target: try arguments.value(of: ExploreCommand.target),
      characteristic: try arguments.value(of: characteristic), format: try arguments.value(of: format))
  }

  let target: Target
  let characteristic: CharacteristicName
  let format: ValueFormat?

  func run(in session: Session) async throws(ToolError) {
    let (name, format) = (characteristic, format)
    try await KeptDevice.use(target, in: session) { (device) async throws(ToolError) in
      try await device.printValue(of: name, format)
    }
  }
}
