import BLEDeviceFiles
import BLEReports
import BLESession
import CoreBluetooth

/// Tells Home Assistant what a gateway publishes (`Docs/gateway-leases.md` says who publishes it where several gateways hear a device: its
/// holder, when it has announced itself).
///
/// Topics of entities do not depend on the gateway: when a device is handed over, its new holder replaces the messages, and Home Assistant
/// looks at the new topics for the same entities.
package struct HomeAssistantDiscovery: Sendable {
  /// What Home Assistant listens to; `homeassistant` unless it was told otherwise.
  package let prefix: String
  package let topics: GatewayTopics
  /// Of this program.
  package let version: String

  package init(prefix: String = "homeassistant", topics: GatewayTopics, version: String) {
    (self.prefix, self.topics, self.version) = (prefix, topics, version)
  }

  /// The gateway itself: whether it is connected to the broker.
  package func gateway() -> [HomeAssistantEntity] {
    let identifier = Self.identifier(ofGateway: topics.gateway)
    let device: JSONValue = [
      "identifiers": [.string(identifier)], "name": .string(topics.gateway), "model": "ble gateway",
      "sw_version": .string(version),
    ]
    return [
      make(
        .binarySensor, identifier + "_-status", "Connection", device, availability: [:],
        [
          "device_class": "connectivity", "entity_category": "diagnostic", "state_topic": .string(topics.status),
          "payload_on": "online", "payload_off": "offline",
        ])
    ]
  }

  /// All entities of a device, at most one for each field, characteristic and command.
  package func entities(of subject: HomeAssistantDevice) -> [HomeAssistantEntity] {
    var entities = characteristics(of: subject)
    for notification in subject.description?.notifications ?? [] {
      entities += notification.layout.fields.map { sensor($0, of: notification, subject) }
    }
    if let topic = subject.commandTopic {
      let controls = (subject.description?.commands ?? []).filter { subject.commands.contains($0.name) }
        .compactMap { control($0, topic, subject) }
      entities += controls
      if !controls.isEmpty { entities.append(lastCommand(of: subject)) }
    }
    if subject.hasSignal {
      entities.append(
        make(
          .sensor, ["signal"], "Signal strength", subject,
          [
            "state_topic": .string(topics.signal(of: subject.device)), "value_template": "{{ value_json.smoothed }}",
            "device_class": "signal_strength", "unit_of_measurement": "dBm", "state_class": "measurement",
            "entity_category": "diagnostic",
          ]))
    }
    return entities
  }

  /// Names a gateway in Home Assistant.
  static func identifier(ofGateway name: String) -> String { HomeAssistantEntity.identifier("ble-gateway", name) }

  // MARK: Values

  /// What the identifiers of entities of characteristics have in them, and no others.
  static let characteristicMark = "_-characteristic_-"

  /// Whether the SIG has assigned this characteristic one number.
  static func hasQuantity(_ path: CharacteristicPath) -> Bool { quantity(path) != nil }

  private static func quantity(_ path: CharacteristicPath) -> AssignedValues.Quantity? {
    let uuid = path.characteristic.uuidString
    return uuid.count == 4 ? UInt16(uuid, radix: 16).flatMap { AssignedValues.quantities[$0] } : nil
  }

  private func characteristics(of subject: HomeAssistantDevice) -> [HomeAssistantEntity] {
    subject.characteristics.compactMap { path in
      let uuid = path.characteristic.uuidString
      guard let quantity = Self.quantity(path) else { return nil }
      let name = AssignedNames.name(characteristic: uuid) ?? uuid
      let shown = HomeAssistantQuantity(unit: quantity.unit, names: [name])
      let level = GatewayTopics.level(path)
      return make(
        .sensor, ["characteristic", level], name, subject,
        number(shown, from: "value_json.quantity.value", topics.value(of: subject.device, level)))
    }
  }

  private func sensor(
    _ field: DescribedField, of notification: DeviceNotification, _ subject: HomeAssistantDevice
  ) -> HomeAssistantEntity {
    let topic = topics.value(of: subject.device, GatewayTopics.level(notification.name))
    let parts = ["value", notification.name, field.name]
    let label = HomeAssistantEntity.label(notification.layout.fields.count > 1 ? field.name : notification.name)
    let value = Self.value(of: field)
    guard case .integer(_, _, _, _, let words) = field.kind else {
      let members: JSONValue = ["state_topic": .string(topic), "value_template": .string("{{ \(value).value }}")]
      return make(.sensor, parts, label, subject, members)
    }
    if words.isEmpty {
      let quantity = HomeAssistantQuantity(unit: field.unit, names: [field.name, notification.name])
      return make(.sensor, parts, label, subject, number(quantity, from: value + ".value", topic))
    }
    let common: JSONValue = ["state_topic": .string(topic), "value_template": .string("{{ \(value).word }}")]
    if let pair = HomeAssistantWords(words.map(\.text)) {
      return make(.binarySensor, parts, label, subject, JSONValue.combined(common, pair.json))
    }
    return make(
      .sensor, parts, label, subject,
      JSONValue.combined(common, ["device_class": "enum", "options": .array(words.map { .string($0.text) })]))
  }

  /// Where a field's value is in the message of a notification.
  static func value(of field: DescribedField) -> String {
    "value_json.fields[\(HomeAssistantTemplate.literal(field.name))]"
  }

  private func number(_ quantity: HomeAssistantQuantity, from value: String, _ topic: String) -> JSONValue {
    let scaled = quantity.divisor == 1 ? value : "\(value) / \(quantity.divisor)"
    let members: JSONValue = [
      "state_topic": .string(topic), "value_template": .string("{{ \(scaled) }}"),
      "device_class": .string(orNull: quantity.deviceClass), "unit_of_measurement": .string(orNull: quantity.unit),
      "state_class": .string(quantity.stateClass),
    ]
    return members.withoutNulls
  }
}
