import CoreBluetooth

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
      type: arguments.isGiven(withoutResponse) ? .withoutResponse : .withResponse)
  }

  let target: Target
  let characteristic: CharacteristicName
  /// `nil`: from the standard input.
  let octets: [UInt8]?
  let format: ValueFormat
  let type: CBCharacteristicWriteType

  func run(in session: Session) async throws(ToolError) {
    let octets = if let octets { octets } else { try await StandardInput.value(in: format, session) }
    let (name, type) = (characteristic, type)
    let place = try await ToolCentral(in: session).talk(to: target) { (device) async throws(ToolError) in
      let characteristic = try await device.find(name)
      if type == .withResponse {
        try await device.write(octets, to: characteristic)
      } else {
        try Self.check(octets, characteristic, device.peripheral)
        try await device.writeWithoutResponse(octets, to: characteristic)
      }
      return AttributePlace(device, characteristic)
    }
    let output = session.output
    if output.isJSON {
      let members: KeyValuePairs<String, JSONValue> = [
        "value": ValueText(octets).json, "with_response": .bool(type == .withResponse),
      ]
      output.json(place.json(members))
    } else {
      output.note("Wrote \(octets.count) octets to \(place.characteristic).")
    }
  }

  /// Checks what the device would not report, because a write without response is not acknowledged.
  @MainActor static func check(
    _ octets: [UInt8], _ characteristic: CBCharacteristic, _ peripheral: CBPeripheral
  ) throws(ToolError) {
    guard characteristic.properties.contains(.writeWithoutResponse) else {
      throw ToolError(.failed, "\(characteristic.uuid.uuidString) cannot be written without response.")
    }
    let longest = peripheral.maximumWriteValueLength(for: .withoutResponse)
    guard octets.count <= longest else {
      throw ToolError(.failed, "Without response at most \(longest) octets can be written here, not \(octets.count).")
    }
  }
}
