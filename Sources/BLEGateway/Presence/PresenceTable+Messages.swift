import BLEReports
import BLEText
import Foundation

extension PresenceTable {
  /// Longer payloads are not read: what waits to be merged is bounded with them.
  private static let longest = 8_192
  private static let longestRoom = 64

  /// Takes a message; one that no gateway would publish is counted and changes nothing.
  /// - Parameters:
  ///   - now: by a clock that is never set.
  ///   - time: by this machine's clock.
  mutating func take(_ message: BrokerMessage, at now: Duration, _ time: Date) -> [Outcome] {
    let prefix = topics.prefix + "/"
    guard message.topic.hasPrefix(prefix) else { return [] }
    let levels = message.topic.dropFirst(prefix.count)
      .split(separator: "/", maxSplits: 4, omittingEmptySubsequences: false).map(String.init)
    guard Self.isOurs(levels) else { return [] }
    guard levels.allSatisfy(GatewayInstance.isName), message.payload.count <= Self.longest,
      let outcomes = read(levels, message, at: now, time)
    else {
      ignored += 1
      return []
    }
    return outcomes
  }

  /// Whether the topic is one of `filters`; others may be subscribed to besides.
  private static func isOurs(_ levels: [String]) -> Bool {
    switch levels.count {
    case 2: levels[1] == "status"
    case 3: levels[1] == "presence"
    case 4: levels[1] == "device" && ["status", "rssi", "advertisement"].contains(levels[3])
    default: false
    }
  }

  /// `nil`: the message was not understood.
  private mutating func read(
    _ levels: [String], _ message: BrokerMessage, at now: Duration, _ time: Date
  ) -> [Outcome]? {
    let gateway = levels[0]
    if levels.count == 2 { return settings == nil ? [] : status(of: gateway, message, at: now) }
    // The broker keeps it no longer.
    if message.payload.isEmpty { return [] }
    guard let document = try? PositionedJSONReader.read(octets: message.payload) else { return nil }
    let value = JSONValue(document)
    guard let json = FleetPayload(value), json.text("gateway") == gateway, json.text("device") == levels[2]
    else { return nil }
    if levels.count == 3 { return remembered(levels, json, message, at: now) }
    return said(levels, json, value, message, at: now, time)
  }

  /// What an earlier process of this gateway has published.
  private mutating func remembered(
    _ levels: [String], _ json: FleetPayload, _ message: BrokerMessage, at now: Duration
  ) -> [Outcome]? {
    guard levels[0] == topics.gateway, json.text("event") == "presence" else { return nil }
    // What this process publishes comes back as well.
    guard settings != nil, message.isRetained, let room = json.text("room") else { return [] }
    guard room.unicodeScalars.count <= Self.longestRoom else { return nil }
    return board.remember(levels[2], in: room, at: now).map(Outcome.moved)
  }

  private mutating func said(
    _ levels: [String], _ json: FleetPayload, _ value: JSONValue, _ message: BrokerMessage, at now: Duration,
    _ time: Date
  ) -> [Outcome]? {
    let (gateway, device) = (levels[0], levels[2])
    switch (levels[3], json.text("event")) {
    case ("status", "status"):
      guard settings != nil else { return [] }
      guard let isOnline = ["online": true, "offline": false][json.text("status") ?? ""] else { return nil }
      let renamed = json.text("address").map { name($0, device) } ?? []
      return (renamed + keep(device, by: gateway, isOnline, at: now)).map(Outcome.moved)
    case ("rssi", "rssi"), ("advertisement", "discovered"):
      guard let stamp = json.text("time").flatMap(Self.date) else { return nil }
      let rules = rules
      if message.isRetained || change(gateway, { $0.delay.isLate(stamp, time, at: now, rules) }) {
        late += 1
        return []
      }
      var outcomes: [Outcome] = []
      let rssi = json.number("rssi").flatMap { Int(exactly: $0.rounded()) }
      if settings != nil {
        if levels[3] == "rssi", let address = json.text("address") {
          outcomes += name(address, device).map(Outcome.moved)
        }
        if let rssi {
          outcomes += board.heard(names[device] ?? device, by: gateway, rssi: rssi, at: now).map(Outcome.moved)
        }
      }
      guard levels[3] == "advertisement", merger != nil else { return outcomes }
      let merged = merger?.take(AdvertisedContent(value), of: device, heardBy: gateway, rssi: rssi, at: now) ?? []
      return outcomes + merged.map(Outcome.merged)
    default: return nil
    }
  }

  // MARK: Connections

  /// The status of a gateway.
  private mutating func status(of gateway: String, _ message: BrokerMessage, at now: Duration) -> [Outcome]? {
    let words = ["online": false, "offline": true, "": false]
    guard let isOffline = words[String(decoding: message.payload.prefix(16), as: UTF8.self)] else { return nil }
    let (isChanged, devices) = change(gateway) { entry -> (Bool, Set<String>) in
      defer { entry.isOffline = isOffline }
      return (entry.isOffline != isOffline, entry.devices)
    }
    guard isChanged else { return [] }
    if isOffline {
      for device in devices where !isKept(device) { board.released(device, at: now) }
      return []
    }
    return devices.sorted().flatMap { board.kept($0, by: gateway, at: now) }.map(Outcome.moved)
  }

  private mutating func keep(
    _ device: String, by gateway: String, _ isOnline: Bool, at now: Duration
  ) -> [PresenceChange] {
    var known = keepers[device] ?? []
    known.removeAll { $0 == gateway }
    guard isOnline else {
      keepers[device] = known.isEmpty ? nil : known
      change(gateway) { _ = $0.devices.remove(device) }
      if !isKept(device) { board.released(device, at: now) }
      return []
    }
    guard known.count < rules.mostGateways, keepers.count < rules.mostDevices || keepers[device] != nil else {
      ignored += 1
      return []
    }
    keepers[device] = known + [gateway]
    let isOffline = change(gateway) { entry in
      entry.devices.insert(device)
      return entry.isOffline
    }
    return isOffline ? [] : board.kept(device, by: gateway, at: now)
  }

  private func isKept(_ device: String) -> Bool {
    keepers[device]?.contains { gateways[$0]?.isOffline == false } ?? false
  }

  private static func date(_ text: String) -> Date? {
    text.utf8.count > 40 ? nil : try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text)
  }
}
