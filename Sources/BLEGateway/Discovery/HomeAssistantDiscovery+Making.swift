import BLEDeviceFiles
import BLEReports

/// What all entities have.
extension HomeAssistantDiscovery {
  func make(
    _ component: HomeAssistantEntity.Component, _ parts: [String], _ name: String, _ subject: HomeAssistantDevice,
    _ members: JSONValue
  ) -> HomeAssistantEntity {
    let whole = HomeAssistantEntity.identifier("ble", subject.device)
    let identifier = ([whole] + parts.map(HomeAssistantEntity.part)).joined(separator: "_-")
    let device: JSONValue = [
      "identifiers": [.string(whole)],
      "connections": subject.address.map { [["bluetooth", .string($0)]] } ?? .null,
      "name": .string(subject.label ?? subject.device), "model": .string(orNull: subject.description?.name),
      "suggested_area": .string(orNull: subject.room),
      "via_device": .string(Self.identifier(ofGateway: topics.gateway)),
    ]
    // Both have to be there: the gateway, whose status is one word, and the device, whose status is an event.
    let availability: JSONValue = [
      "availability": [
        ["topic": .string(topics.status)],
        ["topic": .string(topics.status(of: subject.device)), "value_template": "{{ value_json.status }}"],
      ],
      "availability_mode": "all",
    ]
    return make(component, identifier, name, device.withoutNulls, availability: availability, members)
  }

  func make(
    _ component: HomeAssistantEntity.Component, _ identifier: String, _ name: String, _ device: JSONValue,
    availability: JSONValue, _ members: JSONValue
  ) -> HomeAssistantEntity {
    let common: JSONValue = [
      "name": .string(name), "unique_id": .string(identifier), "device": device,
      "origin": ["name": "ble gateway", "sw_version": .string(version)],
    ]
    return HomeAssistantEntity(
      component: component, identifier: identifier,
      topic: "\(prefix)/\(component.rawValue)/\(identifier)/config",
      json: JSONValue.combined(common, members, availability, ["qos": .integer(1)]))
  }
}

extension JSONValue {
  /// An object without the members that are `null`: Home Assistant takes some for mistakes.
  var withoutNulls: JSONValue {
    guard case .object(let members) = self else { return self }
    return .object(members.filter { $0.value != .null })
  }
}
