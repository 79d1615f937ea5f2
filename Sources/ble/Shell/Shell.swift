import BLECore
import BLESession
import BLEWire
import CoreBluetooth

/// A session with one device, command by command: typed, piped or from a script.
@MainActor final class Shell {
  let session: Session
  private let kept: KeptDevice
  private var subscriptions: [Subscription] = []
  /// Names of known characteristics, for completion.
  private(set) var characteristics: [String] = []
  private(set) var hasEnded = false
  /// Called when the connection was established or has ended.
  var onChange: (() -> Void)?

  var output: Output { session.output }

  private struct Subscription {
    let path: CharacteristicPath
    let values: Observation
  }

  init(_ kept: KeptDevice, in session: Session) {
    self.kept = kept
    self.session = session
  }

  /// The device's name, for prompts and messages.
  var name: String { (kept.name ?? kept.identifier?.uuidString ?? "").inert }
  var isConnected: Bool { kept.linkFailure == nil }

  /// The device; throws if there is no link to it.
  func device() throws(ToolError) -> KeptDevice {
    guard isConnected else { throw ToolError(.failed, "There is no connection: 'reconnect' opens one.") }
    return kept
  }

  func connect() async throws(ToolError) {
    await kept.observe { [weak self] event in
      guard case .disconnected(let reason) = event, let self else { return }
      if reason.isLoss, let failure = kept.linkFailure { output.note(failure.message) }
      onChange?()
    }
    try await kept.connect()
    onChange?()
  }

  func disconnect() async {
    await kept.disconnect()
    onChange?()
  }

  /// Connects again; the session restores its subscriptions.
  func reconnect() async throws(ToolError) {
    await disconnect()
    try await connect()
    for subscription in subscriptions { output.note("Subscribed to \(subscription.path.characteristic.uuidString).") }
    output.note("Connected to '\(name)'.")
  }

  func quit() { hasEnded = true }

  // MARK: Values

  func subscribe(_ name: CharacteristicName, _ format: ValueFormat?) async throws(ToolError) {
    let device = try device()
    let path = try await device.find(name).path
    end(path)
    let (place, output) = (AttributePlace(device, path), output)
    var count = 0
    let values = try await device.subscribe(to: path) { value in
      count += 1
      let uuid = place.characteristic
      let text = format.flatMap { try? $0.text(of: value) } ?? AssignedValues.describe(value, of: uuid)
      output.event(
        "value", place.json(["number": .integer(count)], value: value, format),
        "\(AssignedNames.labelled(characteristic: uuid))  \(text)")
    }
    subscriptions.append(Subscription(path: path, values: values))
    output.note("Subscribed to \(place.characteristic).")
  }

  func unsubscribe(_ name: CharacteristicName) async throws(ToolError) {
    let path = try await device().find(name).path
    end(path)
    output.note("Unsubscribed from \(path.characteristic.uuidString).")
  }

  private func end(_ path: CharacteristicPath) {
    for subscription in subscriptions where subscription.path == path { subscription.values.cancel() }
    subscriptions.removeAll { $0.path == path }
  }

  // MARK: Completion and information

  /// Remembers the characteristics of the device for completion.
  func lookAround() async {
    let found = await kept.device.services().flatMap(\.characteristics).map { characteristic in
      (service: characteristic.path.service?.uuidString ?? "", uuid: characteristic.path.characteristic.uuidString)
    }
    let names = found.compactMap { BLEUUID($0.uuid).flatMap(AssignedNumbers.characteristic) }
    let several = Dictionary(grouping: found, by: \.uuid).values.filter { $0.count > 1 }.joined()
    characteristics = Set(found.map(\.uuid) + names + several.map { "\($0.service)/\($0.uuid)" }).sorted()
  }

  func tellInformation() {
    let address = kept.identifier.flatMap(PeerAddresses.address(of:))
    let uuids = subscriptions.map(\.path.characteristic.uuidString)
    let members: KeyValuePairs<String, JSONValue> = [
      "identifier": .string(orNull: kept.identifier?.uuidString), "name": .string(orNull: kept.name),
      "address": .string(orNull: address?.description), "connected": .bool(isConnected),
      "subscriptions": .array(uuids.map(JSONValue.string)),
    ]
    if output.isJSON { return output.json(.object(members)) }
    output.collect("name           \(kept.name?.inert ?? "(no name)")")
    output.collect("identifier     \(kept.identifier?.uuidString ?? "")")
    if let address { output.collect("address        \(address)") }
    output.collect("connection     \(isConnected ? "open" : "none")")
    if !uuids.isEmpty { output.collect("subscriptions  \(uuids.joined(separator: ", "))") }
    output.flush()
  }
}
