import BLECore
import BLESession
import CoreBluetooth

/// A session with one device, command by command: typed, piped or from a script.
@MainActor final class Shell {
  let session: Session
  private let kept: KeptDevice
  private var subscriptions: [Subscription] = []
  private var known = ShellVocabulary()
  private(set) var hasEnded = false
  private let comeback: ShellComeback
  /// Called when the connection was established or has ended.
  var onChange: (() -> Void)?

  var output: Output { session.output }

  private struct Subscription {
    let path: CharacteristicPath
    let values: Observation
  }

  /// One connection at a time, without a budget: a shell is open for as long as its user wants. A device that was named on the command
  /// line may come back with a new identifier, for which a scan is needed.
  static let configuration: SessionConfiguration = {
    var configuration = KeptDevice.once
    configuration.policy.approach = .directThenScan(after: .seconds(10))
    return configuration
  }()

  init(_ kept: KeptDevice, in session: Session) {
    self.kept = kept
    self.session = session
    comeback = ShellComeback(of: kept.device)
  }

  /// The device's name, for prompts and messages.
  var name: String { (kept.name ?? kept.identifier?.uuidString ?? "").inert }
  var isConnected: Bool { kept.linkFailure == nil }

  /// The device; throws if there is no link to it.
  func device() throws(ToolError) -> KeptDevice {
    if isConnected { return kept }
    let hope = comeback.isAwaited ? "it is opened when the device is there again" : "'reconnect' opens one"
    throw ToolError(.failed, "There is no connection: \(hope).")
  }

  func connect() async throws(ToolError) {
    await kept.observe { [weak self] event in self?.take(event) }
    try await kept.connect()
    onChange?()
  }

  private func take(_ event: SessionEvent) {
    comeback.take(event)
    switch event {
    case .disconnected(let reason):
      if reason.isLoss, let failure = kept.linkFailure { output.note(failure.message) }
      onChange?()
    case .state(.stopped(.lost)): output.note("It is opened again when the device is there.")
    case .ready(.automatic):
      output.note("Connected to '\(name)' again.")
      onChange?()
    default: break
    }
  }

  func disconnect() async {
    comeback.giveUp()
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
    known = ShellVocabulary(of: await kept.device.services().flatMap(\.characteristics).map(\.path))
  }

  /// What Tab can complete now.
  var vocabulary: ShellVocabulary {
    var vocabulary = known
    vocabulary.subscribed = subscriptions.map { known.shortest(of: $0.path) }
    return vocabulary
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
