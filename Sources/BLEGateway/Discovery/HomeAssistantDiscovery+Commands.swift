import BLEDeviceFiles
import BLEReports

/// Commands as things to press, choose and type.
extension HomeAssistantDiscovery {
  /// How long a command that is sent from Home Assistant may wait for the device, in seconds.
  private static let patience = 30

  /// A command becomes an entity if there is at most one value to be chosen: a field without a default, or the only one. `nil` for others,
  /// for which Home Assistant has nothing.
  func control(_ command: DeviceCommand, _ topic: String, _ subject: HomeAssistantDevice) -> HomeAssistantEntity? {
    let open = command.parameters.filter { $0.standard == nil }
    let chosen = open.isEmpty && command.parameters.count == 1 ? command.parameters : open
    guard chosen.count <= 1 else { return nil }
    let label = HomeAssistantEntity.label(command.name)
    let parts = ["command", command.name]
    guard let field = chosen.first else {
      return make(.button, parts, label, subject, request(command, nil, topic))
    }
    let common = JSONValue.combined(request(command, field, topic), state(field, subject))
    switch field.kind {
    case .integer(_, _, _, _, let words) where !words.isEmpty:
      if let pair = HomeAssistantWords(words.map(\.text)), ["on", "yes", "true"].contains(pair.on.lowercased()) {
        return make(
          .switch, parts, label, subject,
          JSONValue.combined(common, ["payload_on": .string(pair.on), "payload_off": .string(pair.off)]))
      }
      return make(
        .select, parts, label, subject,
        JSONValue.combined(common, ["options": .array(words.map { .string($0.text) })]))
    case .integer(_, _, _, let range, _): return number(range, field, parts, label, subject, common)
    case .text(let width), .octets(let width):
      // Home Assistant has at most 255 characters in a text.
      let octets = width ?? 127
      let most = if case .octets = field.kind { octets * 2 } else { octets }
      let members: JSONValue = [
        "max": .integer(min(most, 255)), "mode": .string(Self.isSecret(field.name) ? "password" : "text"),
      ]
      return make(.text, parts, label, subject, JSONValue.combined(common, members))
    }
  }

  /// What has become of the last command: Home Assistant itself is not told.
  func lastCommand(of subject: HomeAssistantDevice) -> HomeAssistantEntity {
    let topic = topics.answer(of: subject.device)
    return make(
      .sensor, ["answer"], "Last command", subject,
      [
        "state_topic": .string(topic), "value_template": "{{ value_json.outcome }}", "device_class": "enum",
        "options": .array(CommandOutcome.Kind.allCases.map { .string($0.rawValue) }),
        "json_attributes_topic": .string(topic), "entity_category": "diagnostic",
      ])
  }

  private func number(
    _ range: ClosedRange<Int>, _ field: DescribedField, _ parts: [String], _ label: String,
    _ subject: HomeAssistantDevice, _ common: JSONValue
  ) -> HomeAssistantEntity? {
    // Numbers are floating-point there, and a range needs two ends.
    let exact = max(range.lowerBound, -(1 << 53))...min(range.upperBound, 1 << 53)
    guard exact.lowerBound < exact.upperBound else { return nil }
    let quantity = HomeAssistantQuantity(unit: field.unit, names: [field.name])
    // What is typed is sent as it is: a unit that would have to be multiplied is left out.
    let isPlain = quantity.divisor == 1
    let members: JSONValue = [
      "min": .integer(exact.lowerBound), "max": .integer(exact.upperBound), "step": .integer(1), "mode": "box",
      "device_class": isPlain ? .string(orNull: quantity.deviceClass) : .null,
      "unit_of_measurement": isPlain ? .string(orNull: quantity.unit) : .null,
    ]
    return make(.number, parts, label, subject, JSONValue.combined(common, members.withoutNulls))
  }

  /// Where the device says what the field is now: a notification that has the same field. Without one Home Assistant takes for true what
  /// was asked for last.
  private func state(_ field: DescribedField, _ subject: HomeAssistantDevice) -> JSONValue {
    let telling = subject.description?.notifications.first { notification in
      notification.layout.fields.contains { $0.name == field.name && $0.kind == field.kind }
    }
    guard let telling else { return [:] }
    var member = "value"
    if case .integer(_, _, _, _, let words) = field.kind, !words.isEmpty { member = "word" }
    return [
      "state_topic": .string(topics.value(of: subject.device, GatewayTopics.level(telling.name))),
      "value_template": .string("{{ \(Self.value(of: field)).\(member) }}"),
    ]
  }

  /// The command's message, with an identifier and a deadline that Home Assistant fills in. Each press has another identifier; what MQTT
  /// delivers twice has the same.
  private func request(_ command: DeviceCommand, _ field: DescribedField?, _ topic: String) -> JSONValue {
    let deadline = "{{ (utcnow() + timedelta(seconds=\(Self.patience))).strftime('%Y-%m-%dT%H:%M:%SZ') }}"
    var message = #"{"id":"home-assistant-{{ now().timestamp() }}","deadline":"\#(deadline)","#
    message += #""command":\#(HomeAssistantTemplate.json(command.name))"#
    if let field {
      let isNumber = if case .integer(_, _, _, _, let words) = field.kind { words.isEmpty } else { false }
      message += #","values":{\#(HomeAssistantTemplate.json(field.name)):"#
      message += "{{ \(isNumber ? "value | int" : "value | to_json") }}}"
    }
    return ["command_topic": .string(topic), "command_template": .string(message + "}"), "retain": false]
  }

  private static func isSecret(_ name: String) -> Bool {
    let lower = name.lowercased()
    return ["pin", "password", "key", "secret", "code", "token"].contains { lower.contains($0) }
  }
}
