import BLECore
import BLEProfileFiles
import BLEReports
import BLESession
import BLEText
import CoreBluetooth

/// The explorer as a peripheral: the profile that it publishes, and who uses it.
@MainActor final class Serving {
  private let hub: EventHub
  /// Of its `CBPeripheralManager`.
  private let options: @Sendable () -> [String: Any]?
  private let clock: any SessionClock
  private var peripheral: ProfilePeripheral?
  /// Why it does not advertise.
  private var problem: String?

  nonisolated init(hub: EventHub, options: @escaping @Sendable () -> [String: Any]?, clock: any SessionClock) {
    self.hub = hub
    self.options = options
    self.clock = clock
  }

  /// Publishes a profile in place of the one before.
  func start(_ profile: Profile) {
    peripheral?.close()
    // What was asked of the one before ends with an error.
    problem = nil
    let peripheral = ProfilePeripheral(profile, options: options(), clock: clock) { [weak self] event in
      self?.take(event)
    }
    self.peripheral = peripheral
    peripheral.start()
    hub.publish("serving", json)
  }

  func stop() {
    guard let peripheral else { return }
    peripheral.close()
    self.peripheral = nil
    problem = nil
    hub.publish("serving", json)
  }

  /// Sets a value and notifies those who have subscribed to it.
  /// - Throws: `notFound` where nothing is published under that path, `unavailable` where nothing is published at all.
  func push(_ octets: [UInt8], to path: CharacteristicPath) throws(APIError) {
    guard let peripheral else { throw APIError(.unavailable, "nothing is published: choose a profile first") }
    let found = peripheral.characteristics.first {
      $0.path.characteristic == path.characteristic && (path.service == nil || $0.path.service == path.service)
    }
    guard let found else { throw APIError(.notFound, "the profile has no such characteristic") }
    peripheral.push(octets, to: found)
    hub.publish("serving", json)
  }

  private func take(_ event: ProfileEvent) {
    switch event {
    case .state: break
    case .advertising: problem = nil
    case .unavailable: problem = "Bluetooth is unavailable; it is published again when it is back"
    case .failed(let error): problem = error.description
    case .accessed(let access, let served, let central, let value): report(access, served, central, value)
    case .note(let text): problem = text
    }
    hub.publish("serving", json)
  }

  private func report(
    _ access: ProfileEvent.Access, _ served: ServedCharacteristic, _ central: UUID?, _ value: [UInt8]?
  ) {
    let about = Self.identity(of: served)
    hub.publish(
      "access",
      .combined(
        about,
        [
          "access": .string(access.rawValue), "central": .string(orNull: central?.uuidString),
          "value": value.map { ValueText($0).json } ?? .null,
          "meaning": .string(orNull: value.flatMap { AssignedValues.meaning(of: $0, in: served.uuid) }),
        ]))
  }

  private static func identity(of served: ServedCharacteristic) -> JSONValue {
    ["service": .string(orNull: served.path.service?.uuidString), "characteristic": .string(served.uuid)]
  }

  /// What is published.
  var json: JSONValue {
    [
      "serving": .bool(peripheral != nil), "advertising": .bool(peripheral?.isAdvertising ?? false),
      "name": .string(orNull: peripheral?.profile.name), "problem": .string(orNull: problem),
      "profiles": .array(Profile.builtIn.map { .string($0.name) }),
      "characteristics": .array(
        (peripheral?.characteristics ?? []).map { served in
          .combined(
            Self.identity(of: served),
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
