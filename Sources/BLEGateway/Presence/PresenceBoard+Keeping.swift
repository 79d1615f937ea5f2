/// What is known of devices besides their strength.
extension PresenceBoard {
  /// A gateway has connected to a device, and most devices do not advertise then: it is not missed until `released(_:at:)`. If no gateway of
  /// its room has heard it a short time ago, it is in the room of this one.
  mutating func kept(_ device: String, by gateway: String, at now: Duration) -> [PresenceChange] {
    guard GatewayInstance.isName(device), GatewayInstance.isName(gateway) else { return [] }
    var changes = advance(to: now) + use(device)
    var entry = devices[device] ?? Device()
    (entry.keeper, entry.heardAt) = (gateway, now)
    let place = room(ofGateway: gateway)
    let isHeard = entry.reports.contains { room($0) == entry.room && now - $0.heardAt <= rules.silence }
    if !isHeard, entry.room != place {
      changes.append(PresenceChange(device: device, room: place, before: entry.room, gateway: gateway, strength: nil))
      (entry.room, entry.rival, entry.remembered) = (place, nil, now + rules.silence)
    }
    devices[device] = entry
    return changes
  }

  /// No gateway is connected to the device any more.
  mutating func released(_ device: String, at now: Duration) {
    guard devices[device]?.keeper != nil else { return }
    renew(device)
    devices[device]?.keeper = nil
    devices[device]?.heardAt = now
  }

  /// An earlier process has found the device in this room. With `nil` it is said that the device is nowhere if it is not found. Where more is
  /// known, nothing changes.
  mutating func remember(_ device: String, in room: String?, at now: Duration) -> [PresenceChange] {
    guard GatewayInstance.isName(device), devices[device]?.room == nil else { return [] }
    let changes = use(device)
    var entry = devices[device] ?? Device()
    (entry.room, entry.heardAt) = (room, now)
    if room == nil { entry.isExpected = true } else { entry.remembered = now + rules.silence }
    devices[device] = entry
    return changes
  }

  /// What was known under this name belongs to another device.
  mutating func remove(_ device: String) -> [PresenceChange] {
    drop(device)
    return forget(device)
  }
}
