/// `ble read`: the value of one characteristic.
struct ReadCommand: ToolCommand {
  static let characteristic = Parameter<CharacteristicName>.argument(
    "characteristic", "The characteristic: 2A19, 180F/2A19 or \"Battery Level\".")
  static let format = Parameter.option(
    "format", "format",
    "How to print values: \(ValueFormat.help). Without it: in words where the value has an assigned meaning, else as text and octets.",
    \ValueFormat.self)

  static let node = CommandNode(
    "read", abstract: "Read a characteristic.",
    ExploreCommand.target, characteristic, format, make: Self.init)

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
