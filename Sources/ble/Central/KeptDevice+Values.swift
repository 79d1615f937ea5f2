import BLESession
import CoreBluetooth

/// What `ble` and its shell do with a connected device in the same way.
extension KeptDevice {
  /// Prints services, characteristics, descriptors and values.
  func printTree() async throws(ToolError) {
    let tree = try await explore()
    if session.output.isJSON {
      session.output.json(tree.json)
    } else {
      for line in tree.lines(session.output.style) { session.output.collect(line) }
      session.output.flush()
    }
  }

  func read(_ path: CharacteristicPath) async throws(ToolError) -> [UInt8] {
    try await ask("Reading \(path.characteristic.uuidString)") { (device) async throws(SessionError) in
      Array(try await device.read(path))
    }
  }

  /// Reads a characteristic and prints its value.
  func printValue(of name: CharacteristicName, _ format: ValueFormat?) async throws(ToolError) {
    let path = try await find(name).path
    let value = try await read(path)
    let place = AttributePlace(self, path)
    if session.output.isJSON { return session.output.json(place.json(value: value, format)) }
    guard let format else { return session.output.line(AssignedValues.describe(value, of: place.characteristic)) }
    try format.print(value, to: session.output)
  }

  /// Writes a characteristic and says so.
  func write(_ octets: [UInt8], to name: CharacteristicName, needsResponse: Bool) async throws(ToolError) {
    let found = try await find(name)
    let (path, uuid) = (found.path, found.path.characteristic.uuidString)
    if !needsResponse { try await checkUnacknowledged(octets, found) }
    try await ask("Writing \(uuid)") { (device) async throws(SessionError) in
      if needsResponse {
        try await device.write(Data(octets), to: path)
      } else {
        try await device.writeWithoutResponse(Data(octets), to: path)
      }
    }
    guard session.output.isJSON else { return session.output.note("Wrote \(octets.count) octets to \(uuid).") }
    session.output.json(
      AttributePlace(self, path).json(["value": ValueText(octets).json, "with_response": .bool(needsResponse)]))
  }

  /// Checks what the device would not report, because a write without response is not acknowledged.
  private func checkUnacknowledged(
    _ octets: [UInt8], _ characteristic: DiscoveredCharacteristic
  ) async throws(ToolError) {
    guard characteristic.properties.contains(.writeWithoutResponse) else {
      throw ToolError(
        .failed, "\(characteristic.path.characteristic.uuidString) cannot be written without response.")
    }
    let longest = await device.maximumWriteLength(withResponse: false)
    guard octets.count <= longest else {
      throw ToolError(.failed, "Without response at most \(longest) octets can be written here, not \(octets.count).")
    }
  }

  /// Calls `tell` with each value that a characteristic notifies from now on; returns when the device has agreed to notify.
  func subscribe(
    to path: CharacteristicPath, _ tell: @escaping @MainActor ([UInt8]) -> Void
  ) async throws(ToolError) -> Observation {
    let waiting = session.waiting
    return try await ask("Subscribing to \(path.characteristic.uuidString)") {
      (device) async throws(SessionError) in
      try await device.subscribe(to: path) { value in
        onMain {
          tell(Array(value))
          waiting.changed()
        }
      }
    }
  }

  func openChannel(_ psm: CBL2CAPPSM) async throws(ToolError) -> CBL2CAPChannel {
    try await ask("Opening the channel with PSM \(psm)") { (device) async throws(SessionError) in
      try await device.openedChannel(psm)
    }.channel
  }

  /// Returns the RSSI of the link, in dBm.
  func readRSSI() async throws(ToolError) -> Int {
    let rssi = try await ask("Measuring the signal") { (device) async throws(SessionError) in
      try await device.readRSSI()
    }
    guard rssi != 127 else { throw ToolError(.failed, "The controller does not know the RSSI.") }
    return rssi
  }
}

/// A characteristic of a device, for output.
struct AttributePlace: Equatable, Sendable {
  let identifier: String?
  let name: String?
  let service: String?
  let characteristic: String

  @MainActor init(_ device: KeptDevice, _ path: CharacteristicPath) {
    identifier = device.identifier?.uuidString
    name = device.name
    service = path.service?.uuidString
    characteristic = path.characteristic.uuidString
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
      "identifier": .string(orNull: identifier), "name": .string(orNull: name),
      "service": .string(orNull: service), "characteristic": .string(characteristic),
    ])
  }
}
