import CoreBluetooth

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
    let name = characteristic
    let result = try await ToolCentral(in: session).talk(to: target) { (device) async throws(ToolError) in
      let characteristic = try await device.find(name)
      let place = AttributePlace(device, characteristic)
      return (place: place, value: try await device.read(characteristic))
    }
    let output = session.output
    if output.isJSON { return output.json(result.place.json(value: result.value, format)) }
    guard let format else {
      return output.line(AssignedValues.describe(result.value, of: result.place.characteristic))
    }
    try format.print(result.value, to: output)
  }
}

/// A characteristic of a device, for output.
struct AttributePlace: Equatable, Sendable {
  let identifier: UUID
  let name: String?
  let service: String?
  let characteristic: String

  @MainActor init(_ device: ConnectedPeripheral, _ characteristic: CBCharacteristic) {
    identifier = device.peripheral.identifier
    name = device.name
    service = characteristic.service?.uuid.uuidString
    self.characteristic = characteristic.uuid.uuidString
  }

  /// The members for the characteristic, `more`, and the value with its meaning.
  func json(
    _ more: KeyValuePairs<String, JSONValue> = [:], value: [UInt8], _ format: ValueFormat?
  ) -> JSONValue {
    JSONValue.combined(json(more), Self.values(value, of: characteristic, format))
  }

  /// The members for a value and its meaning.
  static func values(_ value: [UInt8], of characteristic: String, _ format: ValueFormat?) -> JSONValue {
    var numbers = JSONValue.null
    if case .number(let format) = format, let read = format.numbers(in: value) { numbers = .array(read.map(\.json)) }
    return .object([
      "value": ValueText(value).json, "numbers": numbers,
      "meaning": .string(orNull: AssignedValues.meaning(of: value, in: characteristic)),
    ])
  }

  /// The members for the characteristic, followed by `more`.
  func json(_ more: KeyValuePairs<String, JSONValue>) -> JSONValue {
    JSONValue.object(more).preceded(by: [
      "identifier": .string(identifier.uuidString), "name": .string(orNull: name),
      "service": .string(orNull: service), "characteristic": .string(characteristic),
    ])
  }
}
