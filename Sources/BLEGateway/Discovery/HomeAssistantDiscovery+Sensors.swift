import BLEReports

/// Sensors that only advertise. Everything in their messages but the name in topics comes out of tables of this program: what they say of
/// themselves stands in none.
extension HomeAssistantDiscovery {
  /// What the identifiers of these entities have in them, and no others.
  static let measurementMark = "_-measurement_-"

  /// What is measured of a quantity.
  private struct Quantity {
    var deviceClass: String?
    var stateClass = "measurement"
  }

  /// By the names of measurements, whose units are those of the class. What is not here is a number without a class.
  private static let quantities: [String: Quantity] = [
    "acceleration": .init(), "battery": .init(deviceClass: "battery"),
    "carbon_dioxide": .init(deviceClass: "carbon_dioxide"), "conductivity": .init(deviceClass: "conductivity"),
    "current": .init(deviceClass: "current"), "dew_point": .init(deviceClass: "temperature"),
    "distance": .init(deviceClass: "distance"), "distance_mm": .init(deviceClass: "distance"),
    "duration": .init(deviceClass: "duration"),
    "energy": .init(deviceClass: "energy", stateClass: "total_increasing"),
    "gas": .init(deviceClass: "gas", stateClass: "total_increasing"), "humidity": .init(deviceClass: "humidity"),
    "illuminance": .init(deviceClass: "illuminance"), "mass": .init(deviceClass: "weight"),
    "idle": .init(deviceClass: "duration"),
    "mass_lb": .init(deviceClass: "weight"), "moisture": .init(deviceClass: "moisture"),
    // Counted up to 254, and then from nought again.
    "movements": .init(stateClass: "total_increasing"),
    "pm10": .init(deviceClass: "pm10"), "pm2_5": .init(deviceClass: "pm25"), "power": .init(deviceClass: "power"),
    "precipitation": .init(deviceClass: "precipitation"), "pressure": .init(deviceClass: "pressure"),
    "speed": .init(deviceClass: "speed"), "temperature": .init(deviceClass: "temperature"),
    "voltage": .init(deviceClass: "voltage"),
    "volatile_organic_compounds": .init(deviceClass: "volatile_organic_compounds"),
    "volume": .init(deviceClass: "volume", stateClass: "total"),
    "volume_flow_rate": .init(deviceClass: "volume_flow_rate"),
    "volume_in_store": .init(deviceClass: "volume_storage"),
    "volume_ml": .init(deviceClass: "volume", stateClass: "total"),
    "water": .init(deviceClass: "water", stateClass: "total_increasing"),
    // Sensors of single makers.
    "humidity_outside": .init(deviceClass: "humidity"), "pm1": .init(deviceClass: "pm1"),
    "steps": .init(stateClass: "total_increasing"),
    "temperature_around_probe_1": .init(deviceClass: "temperature"),
    "temperature_around_probe_2": .init(deviceClass: "temperature"),
    "temperature_outside": .init(deviceClass: "temperature"),
    "temperature_probe_1": .init(deviceClass: "temperature"), "temperature_probe_2": .init(deviceClass: "temperature"),
    "temperature_probe_3": .init(deviceClass: "temperature"), "temperature_probe_4": .init(deviceClass: "temperature"),
    "temperature_probe_5": .init(deviceClass: "temperature"), "temperature_probe_6": .init(deviceClass: "temperature"),
    "tyre_pressure": .init(deviceClass: "pressure"), "uptime": .init(deviceClass: "duration"),
    "volume_dispensed": .init(deviceClass: "volume", stateClass: "total_increasing"),
    "volume_dispensed_port_2": .init(deviceClass: "volume", stateClass: "total_increasing"),
  ]

  /// What the word for *on* means, by the names of measurements.
  private static let conditions = [
    "battery_low": "battery", "battery_charging": "battery_charging", "carbon_monoxide": "carbon_monoxide",
    "cold": "cold", "connectivity": "connectivity", "door": "door", "garage_door": "garage_door",
    "gas_detected": "gas", "heat": "heat", "light": "light", "lock": "lock", "moisture_detected": "moisture",
    "motion": "motion", "moving": "moving", "occupancy": "occupancy", "opening": "opening", "plug": "plug",
    "power_on": "power", "presence": "presence", "problem": "problem", "running": "running", "safety": "safety",
    "smoke": "smoke", "sound": "sound", "tamper": "tamper", "vibration": "vibration", "window": "window",
  ]
  /// Conditions for which Home Assistant's *on* is BTHome's *off*.
  private static let reversed: Set = ["safety"]
  /// Numbers that measure nothing.
  private static let framing: Set = ["packet_identifier", "device_type"]

  /// Whether there is an entity for it. A button's press is none: repeated advertisements cannot be told from a second one.
  static func isShown(_ kind: MeasurementKind) -> Bool { kind.form != .other && !framing.contains(kind.name) }

  /// An entity for each measurement.
  package func entities(of sensor: HeardSensor) -> [HomeAssistantEntity] {
    sensor.measurements.filter { Self.isShown($0.kind) }.map { entity($0, of: sensor) }
  }

  private func entity(_ entry: HeardSensor.Entry, of sensor: HeardSensor) -> HomeAssistantEntity {
    let whole = HomeAssistantEntity.identifier("ble", sensor.device)
    let device: JSONValue = [
      "identifiers": [.string(whole)],
      "connections": sensor.address.map { [["bluetooth", .string($0)]] } ?? .null, "name": .string(sensor.device),
      "via_device": .string(Self.identifier(ofGateway: topics.gateway)),
    ]
    // A message without this measurement leaves the state as it is: an empty one is ignored.
    let name = HomeAssistantTemplate.literal(entry.name)
    let common: JSONValue = [
      "state_topic": .string(topics.advertisement(of: sensor.device)),
      "value_template": .string("{{ (value_json.measurements or {}).get(\(name), {}).get('value', '') }}"),
      "expire_after": sensor.expiry.map { .integer($0) } ?? .null,
    ]
    // The second of its kind is called so.
    let number = entry.name.dropFirst(entry.kind.name.count).drop { $0 == "_" }
    return make(
      Self.component(entry.kind), whole + Self.measurementMark + HomeAssistantEntity.part(entry.name),
      entry.kind.label + (number.isEmpty ? "" : " \(number)"), device.withoutNulls,
      availability: ["availability": [["topic": .string(topics.status)]]],
      JSONValue.combined(common, Self.members(of: entry.kind)).withoutNulls)
  }

  private static func component(_ kind: MeasurementKind) -> HomeAssistantEntity.Component {
    if case .words = kind.form { return .binarySensor }
    return .sensor
  }

  private static func members(of kind: MeasurementKind) -> JSONValue {
    if case .words(let off, let on) = kind.form {
      let isReversed = reversed.contains(kind.name)
      return [
        "payload_on": .string(isReversed ? off : on), "payload_off": .string(isReversed ? on : off),
        "device_class": .string(orNull: conditions[kind.name]),
      ]
    }
    let quantity = quantities[kind.name] ?? Quantity()
    return [
      "device_class": .string(orNull: quantity.deviceClass), "unit_of_measurement": .string(orNull: kind.unit),
      "state_class": .string(quantity.stateClass),
    ]
  }
}
