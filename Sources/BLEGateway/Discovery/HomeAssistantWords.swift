import BLEReports

/// Two words that mean on and off in Home Assistant.
struct HomeAssistantWords: Sendable, Equatable {
  let on: String
  let off: String
  /// What on means; `nil` where the words do not say it.
  let deviceClass: String?

  private static let known: [(on: String, off: String, deviceClass: String?)] = [
    ("on", "off", nil), ("yes", "no", nil), ("true", "false", nil), ("open", "closed", "opening"),
    ("open", "shut", "opening"), ("open", "locked", "lock"), ("unlocked", "locked", "lock"), ("wet", "dry", "moisture"),
    ("connected", "disconnected", "connectivity"), ("running", "stopped", "running"), ("moving", "still", "moving"),
    ("charging", "discharging", "battery_charging"), ("charging", "idle", "battery_charging"),
    ("detected", "clear", nil), ("low", "normal", nil), ("problem", "ok", "problem"),
  ]

  /// Returns `nil` unless the words are such a pair, in either order and in any case.
  init?(_ words: [String]) {
    guard words.count == 2 else { return nil }
    let lower = words.map { $0.lowercased() }
    for pair in Self.known {
      guard let on = lower.firstIndex(of: pair.on), let off = lower.firstIndex(of: pair.off) else { continue }
      (self.on, self.off, deviceClass) = (words[on], words[off], pair.deviceClass)
      return
    }
    return nil
  }

  var json: JSONValue {
    let members: JSONValue = [
      "payload_on": .string(on), "payload_off": .string(off), "device_class": .string(orNull: deviceClass),
    ]
    return members.withoutNulls
  }
}
