/// How a number with a unit is named in Home Assistant.
struct HomeAssistantQuantity: Sendable, Equatable {
  /// As Home Assistant writes it; `nil`: a number without a unit.
  var unit: String?
  /// The kind of quantity; `nil` where there is none for it. Each has units of its own.
  var deviceClass: String?
  /// What the number is divided by.
  var divisor = 1

  /// - Parameters:
  ///   - unit: as in a device file, or of an assigned characteristic.
  ///   - names: of the field and what stands around it, which tell a battery's percents from others.
  init(unit: String?, names: [String]) {
    guard var text = unit, !text.isEmpty else { return }
    for (prefix, divisor) in [("tenths of ", 10), ("hundredths of ", 100), ("thousandths of ", 1_000)]
    where text.hasPrefix(prefix) {
      text = String(text.dropFirst(prefix.count))
      self.divisor = divisor
    }
    self.unit = Self.spellings[text] ?? text
    deviceClass = Self.classes[self.unit ?? ""] ?? Self.deviceClass(self.unit ?? "", named: names)
  }

  private static let spellings = [
    "C": "°C", "F": "°F", "beats a minute": "bpm", "beats/min": "bpm", "percent": "%", "lux": "lx", "sec": "s",
    "seconds": "s", "minutes": "min", "hours": "h", "days": "d", "V DC": "V", "uV": "µV", "ug/m³": "µg/m³",
  ]

  /// The classes that a unit alone tells.
  private static let classes = [
    "°C": "temperature", "°F": "temperature", "K": "temperature", "V": "voltage", "mV": "voltage", "µV": "voltage",
    "A": "current", "mA": "current", "W": "power", "kW": "power", "Pa": "pressure", "hPa": "pressure",
    "kPa": "pressure", "bar": "pressure", "mbar": "pressure", "psi": "pressure", "lx": "illuminance",
    "mm": "distance", "cm": "distance", "m": "distance", "km": "distance", "g": "weight", "kg": "weight",
    "ms": "duration", "s": "duration", "min": "duration", "h": "duration", "d": "duration", "Hz": "frequency",
    "kHz": "frequency", "m/s": "speed", "km/h": "speed", "W/m²": "irradiance", "dBm": "signal_strength",
    "Wh": "energy", "kWh": "energy",
  ]

  private static func deviceClass(_ unit: String, named names: [String]) -> String? {
    let all = names.joined(separator: " ").lowercased()
    let words: [(words: [String], class: String)] =
      switch unit {
      case "%": [(["battery", "charge"], "battery"), (["humidity"], "humidity"), (["moisture"], "moisture")]
      case "ppm": [(["co2", "carbon dioxide"], "carbon_dioxide"), (["carbon monoxide"], "carbon_monoxide")]
      case "µg/m³": [(["pm2.5", "pm25"], "pm25"), (["pm10"], "pm10"), (["pm1"], "pm1")]
      default: []
      }
    return words.first { $0.words.contains(where: all.contains) }?.class
  }

  /// Energy is counted up; everything else is measured.
  var stateClass: String { deviceClass == "energy" ? "total_increasing" : "measurement" }
}
