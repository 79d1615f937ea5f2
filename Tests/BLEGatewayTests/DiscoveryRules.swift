import BLEGateway
import BLEReports
import Foundation

/// What Home Assistant accepts in a discovery message, as its documentation publishes it: members of each integration, which of them are
/// needed, the classes of quantities with their units, and what excludes each other. An unknown member is a mistake, as in its configuration.
enum DiscoveryRules {
  private static let common: Set<String> = [
    "availability", "availability_mode", "availability_template", "availability_topic", "default_entity_id", "device",
    "enabled_by_default", "encoding", "entity_category", "entity_picture", "icon", "json_attributes_template",
    "json_attributes_topic", "name", "origin", "payload_available", "payload_not_available", "platform", "qos",
    "unique_id",
  ]

  private struct Integration {
    let needed: Set<String>
    let others: Set<String>
  }

  private static let integrations: [HomeAssistantEntity.Component: Integration] = [
    .sensor: Integration(
      needed: ["state_topic"],
      others: [
        "device_class", "expire_after", "force_update", "last_reset_value_template", "options", "state_class",
        "suggested_display_precision", "unit_of_measurement", "value_template",
      ]),
    .binarySensor: Integration(
      needed: ["state_topic"],
      others: [
        "device_class", "expire_after", "force_update", "off_delay", "payload_off", "payload_on", "value_template",
      ]),
    .deviceTracker: Integration(
      needed: ["state_topic"],
      others: ["payload_home", "payload_not_home", "payload_reset", "source_type", "value_template"]),
    .button: Integration(
      needed: ["command_topic"], others: ["command_template", "device_class", "payload_press", "retain"]),
    .number: Integration(
      needed: ["command_topic"],
      others: [
        "command_template", "device_class", "max", "min", "mode", "optimistic", "payload_reset", "retain",
        "state_topic",
        "step", "unit_of_measurement", "value_template",
      ]),
    .select: Integration(
      needed: ["command_topic", "options"],
      others: ["command_template", "optimistic", "retain", "state_topic", "value_template"]),
    .switch: Integration(
      needed: ["command_topic"],
      others: [
        "command_template", "device_class", "optimistic", "payload_off", "payload_on", "retain", "state_off",
        "state_on", "state_topic", "value_template",
      ]),
    .text: Integration(
      needed: ["command_topic"],
      others: ["command_template", "max", "min", "mode", "pattern", "retain", "state_topic", "value_template"]),
  ]

  private static let deviceMembers: Set<String> = [
    "configuration_url", "connections", "hw_version", "identifiers", "manufacturer", "model", "model_id", "name",
    "serial_number", "suggested_area", "sw_version", "via_device",
  ]

  /// Units of the classes of sensors and numbers; an empty list: no unit.
  static let units: [String: [String]] = [
    "apparent_power": ["mVA", "VA", "kVA"], "aqi": [], "battery": ["%"], "carbon_dioxide": ["ppm"],
    "carbon_monoxide": ["ppm"], "conductivity": ["S/cm", "mS/cm", "µS/cm"], "current": ["A", "mA"], "date": [],
    "distance": ["km", "m", "cm", "mm", "mi", "nmi", "yd", "in", "ft"], "duration": ["d", "h", "min", "s", "ms", "µs"],
    "energy": ["J", "kJ", "MJ", "GJ", "mWh", "Wh", "kWh", "MWh", "GWh", "TWh", "cal", "kcal", "Mcal", "Gcal"],
    "enum": [], "frequency": ["Hz", "kHz", "MHz", "GHz"], "gas": ["m³", "ft³", "CCF", "L"], "humidity": ["%"],
    "illuminance": ["lx"],
    "irradiance": ["W/m²", "BTU/(h⋅ft²)"], "moisture": ["%"], "pm1": ["µg/m³"], "pm10": ["µg/m³"], "pm25": ["µg/m³"],
    "power": ["mW", "W", "kW", "MW", "GW", "TW"], "precipitation": ["cm", "in", "mm"],
    "pressure": ["Pa", "kPa", "hPa", "bar", "cbar", "mbar", "mmHg", "inHg", "inH₂O", "psi", "mPa"],
    "signal_strength": ["dB", "dBm"], "sound_pressure": ["dB", "dBA"],
    "speed": ["ft/s", "in/d", "in/h", "in/s", "km/h", "kn", "m/s", "mph", "mm/d", "mm/s"],
    "temperature": ["°C", "°F", "K"], "timestamp": [], "volatile_organic_compounds": ["µg/m³", "mg/m³"],
    "voltage": ["V", "mV", "µV", "kV", "MV"], "volume": ["L", "mL", "gal", "fl. oz.", "m³", "ft³", "CCF"],
    "volume_flow_rate": ["m³/h", "ft³/min", "L/min", "gal/min"],
    "volume_storage": ["L", "mL", "gal", "fl. oz.", "m³", "ft³", "CCF"], "water": ["L", "gal", "m³", "ft³", "CCF"],
    "weight": ["kg", "g", "mg", "µg", "oz", "lb", "st"],
  ]

  private static let binaryClasses: Set<String> = [
    "battery", "battery_charging", "carbon_monoxide", "cold", "connectivity", "door", "garage_door", "gas", "heat",
    "light", "lock", "moisture", "motion", "moving", "occupancy", "opening", "plug", "power", "presence", "problem",
    "running", "safety", "smoke", "sound", "tamper", "update", "vibration", "window",
  ]

  /// What is wrong with a message; nothing where Home Assistant takes it.
  static func mistakes(in entity: HomeAssistantEntity) -> [String] {
    guard let object = try? JSONSerialization.jsonObject(with: Data(entity.payload.utf8)) as? [String: Any],
      let integration = integrations[entity.component]
    else { return ["no JSON object: \(entity.payload)"] }
    var found: [String] = []
    let members = Set(object.keys)
    for key in integration.needed.subtracting(members) { found.append("\(key) is missing") }
    for key in members.subtracting(common.union(integration.needed).union(integration.others)) {
      found.append("\(entity.component.rawValue) has no \(key)")
    }
    found += topic(entity) + device(object) + availability(object) + topics(object)
    found += object.filter { $0.value is NSNull && $0.key != "name" }.map { "\($0.key) is null" }
    switch entity.component {
    case .sensor: found += sensor(object)
    case .binarySensor: found += binarySensor(object)
    case .number: found += number(object)
    case .select: found += select(object)
    case .text: found += text(object)
    case .deviceTracker: found += tracker(object)
    case .button, .switch: break
    }
    return found
  }

  private static func topic(_ entity: HomeAssistantEntity) -> [String] {
    let levels = entity.topic.split(separator: "/", omittingEmptySubsequences: false)
    let isName = { (level: Substring) in
      !level.isEmpty && level.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_-".contains($0)) }
    }
    guard (4...5).contains(levels.count), levels[1] == entity.component.rawValue, levels.last == "config",
      levels.dropFirst(2).dropLast().allSatisfy(isName)
    else { return ["the topic \(entity.topic) is not PREFIX/COMPONENT/[NODE/]OBJECT/config"] }
    return []
  }

  private static func device(_ object: [String: Any]) -> [String] {
    guard let device = object["device"] as? [String: Any], object["unique_id"] is String else {
      return ["an entity with a device needs a unique_id"]
    }
    var found = Set(device.keys).subtracting(deviceMembers).map { "a device has no \($0)" }
    let identifiers = device["identifiers"] as? [String] ?? []
    let connections = device["connections"] as? [[String]] ?? []
    if identifiers.isEmpty && connections.isEmpty { found.append("a device needs identifiers or connections") }
    if connections.contains(where: { $0.count != 2 }) { found.append("a connection is a kind and an identifier") }
    let origin = object["origin"] as? [String: Any]
    if origin?["name"] as? String == nil { found.append("an origin needs a name") }
    let unknown = Set(origin?.keys.map { $0 } ?? []).subtracting(["name", "sw_version", "support_url"])
    return found + unknown.map { "an origin has no \($0)" }
  }

  private static func availability(_ object: [String: Any]) -> [String] {
    guard let list = object["availability"] else { return [] }
    guard let entries = list as? [[String: Any]], object["availability_topic"] == nil else {
      return ["availability is a list, without availability_topic"]
    }
    let members: Set<String> = ["topic", "payload_available", "payload_not_available", "value_template"]
    var found = entries.flatMap { Set($0.keys).subtracting(members).map { "availability has no \($0)" } }
    if entries.contains(where: { $0["topic"] as? String == nil }) { found.append("availability needs a topic") }
    if let mode = object["availability_mode"] as? String, !["all", "any", "latest"].contains(mode) {
      found.append("no availability_mode \(mode)")
    }
    return found
  }

  private static func topics(_ object: [String: Any]) -> [String] {
    object.filter { $0.key.hasSuffix("_topic") }.compactMap { key, value in
      guard let topic = value as? String, !topic.isEmpty, topic.utf8.count <= 65_535, !topic.contains("\0"),
        !topic.contains("+"), !topic.contains("#")
      else { return "\(key) is no topic: \(value)" }
      return nil
    }
  }

  private static func quantity(_ object: [String: Any]) -> [String] {
    guard let name = object["device_class"] as? String else { return [] }
    guard let allowed = units[name] else { return ["no device_class \(name)"] }
    let unit = object["unit_of_measurement"] as? String
    if allowed.isEmpty { return unit == nil ? [] : ["\(name) has no unit"] }
    return unit.map(allowed.contains) ?? false ? [] : ["\(name) is not measured in \(unit ?? "nothing")"]
  }

  private static func sensor(_ object: [String: Any]) -> [String] {
    var found = quantity(object)
    let (name, state) = (object["device_class"] as? String, object["state_class"] as? String)
    if let options = object["options"] as? [Any] {
      if name != "enum" { found.append("only an enum has options") }
      if options.isEmpty { found.append("options are empty") }
    }
    if name == "enum", state != nil || object["unit_of_measurement"] != nil {
      found.append("an enum has neither state_class nor unit")
    }
    if let state, !["measurement", "measurement_angle", "total", "total_increasing"].contains(state) {
      found.append("no state_class \(state)")
    }
    if let name, ["energy", "gas", "volume", "water"].contains(name), state == "measurement" {
      found.append("\(name) is a total")
    }
    return found + expiry(object)
  }

  private static func binarySensor(_ object: [String: Any]) -> [String] {
    let name = object["device_class"] as? String
    return (name.map { binaryClasses.contains($0) ? [] : ["no device_class \($0)"] } ?? []) + expiry(object)
  }

  private static func expiry(_ object: [String: Any]) -> [String] {
    guard let expiry = object["expire_after"] else { return [] }
    return (expiry as? Int).map { $0 > 0 } ?? false ? [] : ["expire_after is a number of seconds"]
  }

  private static func tracker(_ object: [String: Any]) -> [String] {
    let type = object["source_type"] as? String
    return type.map { ["bluetooth", "bluetooth_le", "gps", "router"].contains($0) ? [] : ["no source_type \($0)"] }
      ?? []
  }

  private static func number(_ object: [String: Any]) -> [String] {
    var found = quantity(object)
    guard let least = object["min"] as? Double, let greatest = object["max"] as? Double, least < greatest else {
      return found + ["min has to be less than max"]
    }
    if let step = object["step"] as? Double, step < 0.001 { found.append("the step is too small") }
    if let mode = object["mode"] as? String, !["auto", "box", "slider"].contains(mode) {
      found.append("no mode \(mode)")
    }
    return found
  }

  private static func select(_ object: [String: Any]) -> [String] {
    let options = object["options"] as? [String] ?? []
    return options.isEmpty || Set(options).count != options.count ? ["options have to be different words"] : []
  }

  private static func text(_ object: [String: Any]) -> [String] {
    let (least, greatest) = (object["min"] as? Int ?? 0, object["max"] as? Int ?? 255)
    return least <= greatest && greatest <= 255 ? [] : ["a text has at most 255 characters"]
  }
}
