import BLEReports

/// What a gateway says of what all gateways hear.
extension GatewayMessages {
  /// A device is in another room, or nowhere.
  func presence(_ change: PresenceChange, isRetained: Bool) -> OutboxDraft {
    let members: JSONValue = [
      "room": .string(orNull: change.room), "before": .string(orNull: change.before),
      "nearest": .string(orNull: change.gateway), "smoothed": change.strength.map { .number($0.tenths) } ?? .null,
    ]
    return OutboxDraft(
      .event, topic: topics.presence(of: change.device),
      payload: body("presence", Subject(device: change.device), members), isRetained: isRetained)
  }

  /// Has the broker forget where a device was.
  func noPresence(of device: String) -> OutboxDraft {
    OutboxDraft(.event, topic: topics.presence(of: device), payload: "", isRetained: true)
  }

  /// An advertisement, and which gateways have heard it.
  func merged(_ advertisement: MergedAdvertisement<AdvertisedContent>) -> OutboxDraft {
    let hearings = advertisement.hearings.map { hearing -> JSONValue in
      [
        "gateway": .string(hearing.gateway), "rssi": hearing.rssi.map { .integer($0) } ?? .null,
        "count": .integer(hearing.count),
      ]
    }
    let members = JSONValue.combined(
      ["device": .string(advertisement.device)], advertisement.content.members, ["heard_by": .array(hearings)])
    return OutboxDraft(
      .advertisement, topic: topics.merged(of: advertisement.device), payload: body("merged", nil, members))
  }
}
