import BLECore
import BLEProfileFiles
import BLEReports
import BLESession
import BLEText
import CoreBluetooth

/// The explorer as a peripheral: the profile or the device file that it publishes, and who uses it.
@MainActor final class Serving {
  let hub: EventHub
  /// Of its `CBPeripheralManager`.
  let options: @Sendable () -> [String: Any]?
  let clock: any SessionClock
  let setManufacturerData: @Sendable ([UInt8]?) -> Void
  /// Those that devices open to the profile's.
  let channels: DeviceChannels
  private var peripheral: ProfilePeripheral?
  /// What is published in place of a profile.
  var vendor: ServedVendor?
  /// Why it does not advertise.
  var problem: String?

  static let unavailable = "Bluetooth is unavailable; it is published again when it is back"

  nonisolated init(hub: EventHub, surroundings: ExplorerSurroundings, clock: any SessionClock) {
    self.hub = hub
    options = surroundings.peripheralOptions
    setManufacturerData = surroundings.setManufacturerData
    self.clock = clock
    channels = DeviceChannels(of: nil, clock: clock, hub: hub)
  }

  /// Publishes a profile in place of the one before.
  func start(_ profile: Profile) {
    end()
    let peripheral = ProfilePeripheral(profile, options: options(), clock: clock) { [weak self] event in
      self?.take(event)
    }
    self.peripheral = peripheral
    peripheral.start()
    hub.publish("serving", json)
  }

  func stop() {
    guard peripheral != nil || vendor != nil else { return }
    end()
    hub.publish("serving", json)
  }

  /// What was asked of the one that was published ends with an error.
  func end() {
    channels.endAll("its profile is not published any more")
    peripheral?.close()
    peripheral = nil
    vendor?.close()
    if vendor?.manufacturerData != nil { setManufacturerData(nil) }
    vendor = nil
    problem = nil
  }

  /// Sets a value and notifies those who have subscribed to it.
  /// - Throws: `notFound` where nothing is published under that path, `unavailable` where nothing is published at all.
  func push(_ octets: [UInt8], to path: CharacteristicPath) throws(APIError) {
    guard let peripheral else {
      throw APIError(
        .unavailable,
        vendor == nil ? "nothing is published: choose a profile first" : "a device file's fields are set by name")
    }
    let all = peripheral.characteristics.lazy.filter {
      $0.path.characteristic == path.characteristic && (path.service == nil || $0.path.service == path.service)
    }
    guard let found = all.dropFirst(path.instance).first else {
      throw APIError(.notFound, "the profile has no such characteristic")
    }
    peripheral.push(octets, to: found)
    hub.publish("serving", json)
  }

  private func take(_ event: ProfileEvent) {
    switch event {
    case .state: break
    case .advertising: problem = nil
    case .unavailable: problem = Self.unavailable
    case .failed(let error): problem = error.description
    case .accessed(let access, let served, let central, let value): tellAccess(access, served.path, central, value)
    case .note(let text): problem = text
    case .channelPublished: break
    // One for which there is no room is closed, because it is not kept.
    case .channelOpened(let opened): if channels.hasRoom { _ = channels.add(opened) }
    }
    hub.publish("serving", json)
  }

  func tellAccess(
    _ access: ProfileEvent.Access, _ path: CharacteristicPath, _ central: UUID?, _ value: [UInt8]?
  ) {
    let about = Self.identity(of: path)
    hub.publish(
      "access",
      .combined(
        about,
        [
          "access": .string(access.rawValue), "central": .string(orNull: central?.uuidString),
          "value": value.map { ValueText($0).json } ?? .null,
          "meaning": .string(
            orNull: value.flatMap { AssignedValues.meaning(of: $0, in: path.characteristic.uuidString) }),
        ]))
  }

  private static func identity(of path: CharacteristicPath) -> JSONValue {
    [
      "service": .string(orNull: path.service?.uuidString), "characteristic": .string(path.characteristic.uuidString),
      "instance": .integer(path.instance),
    ]
  }

  /// What is published.
  var json: JSONValue {
    [
      "serving": .bool(peripheral != nil || vendor != nil),
      "advertising": .bool(peripheral?.isAdvertising ?? vendor?.isAdvertising ?? false),
      "name": .string(orNull: peripheral?.profile.name ?? vendor?.name), "device": vendor?.json ?? .null,
      "problem": .string(orNull: problem), "psm": (peripheral?.psm).map { .integer(Int($0)) } ?? .null,
      "profiles": .array(Profile.builtIn.map { .string($0.name) }),
      "characteristics": .array(
        (peripheral?.characteristics ?? []).map { served in
          .combined(
            Self.identity(of: served.path),
            [
              "name": .string(orNull: AssignedNames.name(characteristic: served.uuid)),
              "properties": .array(served.profile.cbProperties.names.map(JSONValue.string)),
              "value": ValueText(served.value).json,
              "subscribers": .integer(served.subscribers.count),
            ])
        }),
    ]
  }
}
