import BLECore
import CoreBluetooth

/// A session with one device, command by command: typed, piped or from a script.
@MainActor final class Shell {
  let session: Session
  private let central: ToolCentral
  private let found: FoundDevice
  private var connected: ConnectedPeripheral?
  private var subscriptions: [Subscription] = []
  /// Names of known characteristics, for completion.
  private(set) var characteristics: [String] = []
  private(set) var hasEnded = false
  /// Called when the connection was established or has ended.
  var onChange: (() -> Void)?

  var output: Output { session.output }

  private struct Subscription {
    let name: CharacteristicName
    let format: ValueFormat?
    /// The characteristic by UUID, which stays valid over reconnections.
    let service: CBUUID?
    let characteristic: CBUUID
    var count = 0
  }

  init(_ found: FoundDevice, _ central: ToolCentral, in session: Session) {
    self.found = found
    self.central = central
    self.session = session
  }

  /// The device's name, for prompts and messages.
  var name: String { (found.name ?? found.peripheral.identifier.uuidString).inert }
  var isConnected: Bool { connected != nil }

  /// The device; throws if there is no link to it.
  func device() throws(ToolError) -> ConnectedPeripheral {
    guard let connected else { throw ToolError(.failed, "There is no connection: 'reconnect' opens one.") }
    try connected.requireLink()
    return connected
  }

  func connect() async throws(ToolError) {
    let device = try await central.connect(to: found)
    device.onValue = { [weak self] in self?.take($0, $1) }
    connected = device
    central.onLinkEnd = { [weak self] error in self?.linkEnded(error) }
    onChange?()
  }

  private func linkEnded(_ error: ToolError?) {
    guard connected != nil else { return }
    connected = nil
    if let error { output.note(error.message) }
    onChange?()
  }

  func disconnect() async {
    central.onLinkEnd = nil
    connected = nil
    await central.disconnect()
    onChange?()
  }

  func reconnect() async throws(ToolError) {
    await disconnect()
    try await connect()
    let before = subscriptions
    subscriptions = []
    for subscription in before { try await subscribe(subscription.name, subscription.format) }
    output.note("Connected to '\(name)'.")
  }

  func quit() { hasEnded = true }

  // MARK: Values

  func subscribe(_ name: CharacteristicName, _ format: ValueFormat?) async throws(ToolError) {
    let device = try device()
    let found = try await device.find(name)
    subscriptions.removeAll { $0.characteristic == found.uuid && $0.service == found.service?.uuid }
    // Before notifications are enabled, so that the first value is not missed.
    subscriptions.append(
      Subscription(name: name, format: format, service: found.service?.uuid, characteristic: found.uuid))
    do {
      try await device.setNotify(true, for: found)
    } catch {
      subscriptions.removeLast()
      throw error
    }
    output.note("Subscribed to \(found.uuid.uuidString).")
  }

  func unsubscribe(_ name: CharacteristicName) async throws(ToolError) {
    let device = try device()
    let found = try await device.find(name)
    try await device.setNotify(false, for: found)
    subscriptions.removeAll { $0.characteristic == found.uuid && $0.service == found.service?.uuid }
    output.note("Unsubscribed from \(found.uuid.uuidString).")
  }

  private func take(_ source: CBCharacteristic, _ value: [UInt8]) {
    let index = subscriptions.firstIndex { $0.characteristic == source.uuid && $0.service == source.service?.uuid }
    guard let index, let connected else { return }
    subscriptions[index].count += 1
    let (subscription, uuid) = (subscriptions[index], source.uuid.uuidString)
    let text = subscription.format.flatMap { try? $0.text(of: value) } ?? AssignedValues.describe(value, of: uuid)
    let place = AttributePlace(connected, source)
    output.event(
      "value", place.json(["number": .integer(subscription.count)], value: value, subscription.format),
      "\(AssignedNames.labelled(characteristic: uuid))  \(text)")
  }

  // MARK: Completion and information

  func learn(_ tree: GATTTree) {
    learn(tree.services.flatMap { service in service.characteristics.map { (service.uuid, $0.uuid) } })
  }

  private func learn(_ found: [(service: String, characteristic: String)]) {
    let uuids = found.map(\.characteristic)
    let names = uuids.compactMap { AssignedNames.name(ofCharacteristicText: $0) }
    let several = Dictionary(grouping: found, by: \.characteristic).values.filter { $0.count > 1 }.joined()
    characteristics = Array(Set(uuids + names + several.map { "\($0.service)/\($0.characteristic)" })).sorted()
  }

  /// Discovers characteristics for completion; errors are ignored here and reported by other commands.
  func lookAround() async {
    guard let connected else { return }
    var found: [(service: String, characteristic: String)] = []
    do {
      for service in try await connected.discoverServices() {
        for characteristic in try await connected.discoverCharacteristics(of: service) {
          found.append((service.uuid.uuidString, characteristic.uuid.uuidString))
        }
      }
    } catch {
      return
    }
    learn(found)
  }

  func tellInformation() {
    let peripheral = found.peripheral
    let address = PeerAddresses.address(of: peripheral.identifier)
    let uuids = subscriptions.map(\.characteristic.uuidString)
    let members: KeyValuePairs<String, JSONValue> = [
      "identifier": .string(peripheral.identifier.uuidString), "name": .string(orNull: found.name),
      "address": .string(orNull: address?.description), "connected": .bool(isConnected),
      "subscriptions": .array(uuids.map(JSONValue.string)),
    ]
    if output.isJSON { return output.json(.object(members)) }
    output.collect("name           \(found.name?.inert ?? "(no name)")")
    output.collect("identifier     \(peripheral.identifier.uuidString)")
    if let address { output.collect("address        \(address)") }
    output.collect("connection     \(isConnected ? "open" : "none")")
    if !uuids.isEmpty { output.collect("subscriptions  \(uuids.joined(separator: ", "))") }
    output.flush()
  }
}
