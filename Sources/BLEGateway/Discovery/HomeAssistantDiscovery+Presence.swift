import BLEReports

extension HomeAssistantDiscovery {
  /// The room of a tracked device, which Home Assistant shows as a person's or a thing's place.
  ///
  /// Source: Home Assistant's documentation of the integration `device_tracker.mqtt`.
  package func tracker(of device: String, called label: String) -> HomeAssistantEntity {
    let whole = HomeAssistantEntity.identifier("ble", device)
    let subject: JSONValue = [
      "identifiers": [.string(whole)], "name": .string(label),
      "via_device": .string(Self.identifier(ofGateway: topics.gateway)),
    ]
    return make(
      .deviceTracker, whole + "_-presence", "Room", subject,
      availability: ["availability": [["topic": .string(topics.status)]]],
      [
        "state_topic": .string(topics.presence(of: device)),
        "value_template": "{{ value_json.room if value_json.room else 'not_home' }}",
        "payload_not_home": "not_home", "source_type": "bluetooth_le",
      ])
  }
}
