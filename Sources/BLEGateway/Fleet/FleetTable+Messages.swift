import BLEReports
import BLESession
import BLEText
import Foundation

extension FleetTable {
  /// Longer payloads are not read, and longer texts are cut.
  private static let longest = 65_536
  private static let longestText = 120

  /// The topics that tell something of a fleet.
  static func filters(_ prefix: String) -> [String] {
    [
      "+/status", "+/description", "+/device/+/status", "+/device/+/value/+", "+/device/+/rssi",
      "+/device/+/advertisement", "fleet/lease/+",
    ].map { "\(prefix)/\($0)" }
  }

  /// Takes a message; one that no gateway would publish is counted and changes nothing.
  /// - Parameters:
  ///   - now: by the clock by which devices are found in rooms.
  ///   - time: by the machine's clock.
  mutating func take(_ message: BrokerMessage, prefix: String, at now: Duration, _ time: Date) {
    guard message.topic.hasPrefix(prefix + "/") else { return }
    let levels = message.topic.dropFirst(prefix.utf8.count + 1)
      .split(separator: "/", maxSplits: 5, omittingEmptySubsequences: false).map(String.init)
    let heard = message.isRetained ? nil : Int(exactly: (time.timeIntervalSince1970 * 1_000).rounded())
    guard message.payload.count <= Self.longest, levels.allSatisfy(GatewayInstance.isName),
      read(levels, message.payload, at: now, heard)
    else {
      ignored += 1
      return
    }
    if let heard, let gateway = levels.first, gateway != "fleet" { changeGateway(gateway) { $0.heard = heard } }
  }

  /// Whether the message was understood.
  private mutating func read(_ levels: [String], _ payload: Data, at now: Duration, _ heard: Int?) -> Bool {
    if levels.first == "fleet" { return levels.count == 3 && lease(of: levels[2], payload) }
    switch (levels.count, levels.last) {
    case (2, "status"): return status(of: levels[0], payload)
    case (2, "description"): return description(of: levels[0], payload)
    case (4, _), (5, _): return device(levels, payload, at: now, heard)
    default: return false
    }
  }

  private mutating func status(of gateway: String, _ payload: Data) -> Bool {
    let words = ["online": true, "offline": false]
    let isOnline = words[String(decoding: payload.prefix(16), as: UTF8.self)]
    guard isOnline != nil || payload.isEmpty else { return false }
    changeGateway(gateway) { $0.isOnline = isOnline }
    return true
  }

  private mutating func description(of gateway: String, _ payload: Data) -> Bool {
    guard let json = Self.object(payload) else { return payload.isEmpty }
    guard json.text("format") == GatewayConfiguration.formatName, json.text("gateway") == gateway else { return false }
    changeGateway(gateway) { entry in
      entry.since = json.text("time").map(Self.cut)
      entry.version = json.text("version").map(Self.cut)
      if case .array(let devices)? = json["devices"] { entry.devices = devices.count }
      if case .bool(let isListening)? = json["listening"] { entry.isListening = isListening }
    }
    return true
  }

  private mutating func lease(of device: String, _ payload: Data) -> Bool {
    if payload.isEmpty {
      if devices[device] != nil { changeDevice(device) { $0.lease = nil } }
      return true
    }
    guard case .lease(let lease)? = try? LeaseMessage(payload, on: .lease(device: device)) else { return false }
    // A greater one counts, in whatever order they arrive.
    if let known = devices[device]?.lease, known.rank > lease.rank { return true }
    changeDevice(device) { $0.lease = lease }
    return true
  }

  private mutating func device(_ levels: [String], _ payload: Data, at now: Duration, _ heard: Int?) -> Bool {
    let (gateway, device) = (levels[0], levels[2])
    guard levels[1] == "device", levels.count == (levels[3] == "value" ? 5 : 4) else { return false }
    if payload.isEmpty {
      // The broker keeps it no longer.
      if levels[3] == "value", devices[device] != nil {
        changeDevice(device) { $0.values.removeAll { $0.name == levels[4] && $0.gateway == gateway } }
      }
      return true
    }
    guard let json = Self.object(payload), json.text("gateway") == gateway, json.text("device") == device,
      let event = json.text("event")
    else { return false }
    switch (levels[3], event) {
    case ("status", "status"):
      guard let isOnline = ["online": true, "offline": false][json.text("status") ?? ""] else { return false }
      changeDevice(device) { [limits] entry in
        entry.reports.removeAll { $0.gateway == gateway }
        entry.reports.insert((gateway, isOnline), at: 0)
        if entry.reports.count > limits.gatewaysOfDevice { entry.reports.removeLast() }
      }
    case ("value", "value"), ("value", "notification"):
      let value = FleetValue(json, name: levels[4], gateway: gateway, cut: Self.cut)
      changeDevice(device) { [limits] entry in
        entry.values.removeAll { $0.name == value.name }
        entry.values.insert(value, at: 0)
        if entry.values.count > limits.values { entry.values.removeLast() }
      }
    case ("rssi", "rssi"), ("advertisement", "discovered"):
      guard let rssi = json.number("rssi").flatMap({ Int(exactly: $0.rounded()) }) else {
        // An advertisement may have none.
        break
      }
      changeDevice(device) { _ in }
      note(presence.heard(device, by: gateway, rssi: rssi, at: now))
    default: return false
    }
    changeDevice(device) { entry in
      if let name = json.text("name") { entry.name = Self.cut(name) }
      if let address = json.text("address") { entry.address = Self.cut(address) }
      if let heard { entry.heard = heard }
    }
    return true
  }

  private static func cut(_ text: String) -> String {
    text.unicodeScalars.count > longestText
      ? String(String.UnicodeScalarView(text.unicodeScalars.prefix(longestText))) : text
  }

  private static func object(_ payload: Data) -> FleetPayload? {
    guard let json = try? PositionedJSONReader.read(octets: payload) else { return nil }
    return FleetPayload(JSONValue(json))
  }
}
