/// Kinds that sensors of makers have. One that BTHome's table has too is the same there.
extension MeasurementKind {
  static let temperature = number("temperature", "Temperature", "°C")
  static let humidity = number("humidity", "Humidity", "%")
  static let pressure = number("pressure", "Pressure", "hPa")
  static let battery = number("battery", "Battery", "%")
  static let voltage = number("voltage", "Voltage", "V")
  static let illuminance = number("illuminance", "Illuminance", "lx")
  static let moisture = number("moisture", "Moisture", "%")
  static let conductivity = number("conductivity", "Conductivity", "µS/cm")
  static let carbonDioxide = number("carbon_dioxide", "Carbon dioxide", "ppm")
  static let fineDust = number("pm2_5", "PM2.5", "µg/m³")
  static let dust = number("pm10", "PM10", "µg/m³")
  static let dewPoint = number("dew_point", "Dew point", "°C")
  static let mass = number("mass", "Mass", "kg")
  static let massInPounds = number("mass_lb", "Mass in pounds", "lb")
  static let duration = number("duration", "Duration", "s")
  static let power = number("power", "Power", "W")
  static let energy = number("energy", "Energy", "kWh")
  static let water = number("water", "Water", "L")
  static let speed = number("speed", "Speed", "m/s")
  static let door = words("door", "Door", "closed", "open")
  static let opening = words("opening", "Opening", "closed", "open")
  static let light = words("light", "Light", "none", "detected")
  static let motion = words("motion", "Motion", "clear", "detected")
  static let moving = words("moving", "Moving", "no", "yes")
  static let vibration = words("vibration", "Vibration", "clear", "detected")
  static let running = words("running", "Running", "no", "yes")
  static let problem = words("problem", "Problem", "no", "yes")
  static let tamper = words("tamper", "Tamper", "off", "on")
  static let lowBattery = words("battery_low", "Battery low", "normal", "low")
  static let smoke = words("smoke", "Smoke", "clear", "detected")
  static let wet = words("moisture_detected", "Moisture detected", "dry", "wet")
  static let powerOn = words("power_on", "Power on", "off", "on")

  // What BTHome does not have.
  static let finestDust = number("pm1", "PM1", "µg/m³")
  static let respirableDust = number("pm4", "PM4", "µg/m³")
  static let organicIndex = number("voc_index", "VOC index", nil)
  static let nitrogenIndex = number("nox_index", "NOx index", nil)
  static let formaldehyde = number("formaldehyde", "Formaldehyde", "mg/m³")
  static let supply = number("supply", "Supply that is left", "%")
  static let idle = number("idle", "Time without motion", "s")
  static let uptime = number("uptime", "Time since power-on", "s")
  static let accelerationX = number("acceleration_x", "Acceleration X", "m/s²")
  static let accelerationY = number("acceleration_y", "Acceleration Y", "m/s²")
  static let accelerationZ = number("acceleration_z", "Acceleration Z", "m/s²")
  static let pitch = number("pitch", "Pitch", "°")
  static let roll = number("roll", "Roll", "°")
  static let movements = number("movements", "Movements", nil)
  static let closedPart = number("closed_part", "Closed part", "%")
  static let outsideTemperature = number("temperature_outside", "Temperature outside", "°C")
  static let outsideHumidity = number("humidity_outside", "Humidity outside", "%")
  static let tyrePressure = number("tyre_pressure", "Tyre pressure", "bar")
  static let gravity = number("specific_gravity", "Specific gravity", nil)
  static let dispensed = number("volume_dispensed", "Volume dispensed", "L")
  static let dispensedSecond = number("volume_dispensed_port_2", "Volume dispensed, port 2", "L")
  static let heartRate = number("heart_rate", "Heart rate", "bpm")
  static let steps = number("steps", "Steps", nil)
  static let impedance = number("impedance", "Impedance", "Ω")
  static let doorEvent = other("door_event", "Door event")
  static let button = other("button_number", "Button number")
  static let press = other("press", "Kind of press")

  /// Thermometers of a meal, from 1 on: they have their numbers in whatever message they are.
  static let probes = (1...6).map { number("temperature_probe_\($0)", "Temperature of probe \($0)", "°C") }
  /// What is around these.
  static let ambience = (1...2).map { number("temperature_around_probe_\($0)", "Temperature around probe \($0)", "°C") }

  /// All of them.
  package static var makers: [MeasurementKind] {
    [
      temperature, humidity, pressure, battery, voltage, illuminance, moisture, conductivity, carbonDioxide, fineDust,
      dust, dewPoint, mass, massInPounds, duration, power, energy, water, speed, door, opening, light, motion,
      moving, vibration, running, problem, tamper, lowBattery, smoke, wet, powerOn, finestDust, respirableDust,
      organicIndex,
      nitrogenIndex, formaldehyde, supply, idle, uptime,
      accelerationX, accelerationY, accelerationZ, pitch, roll, movements, closedPart, outsideTemperature,
      outsideHumidity, tyrePressure, gravity, dispensed, dispensedSecond, heartRate, steps, impedance, doorEvent,
      button, press,
    ] + probes + ambience
  }

  private static func number(_ name: String, _ label: String, _ unit: String?) -> MeasurementKind {
    MeasurementKind(name: name, label: label, unit: unit, form: .number)
  }
  private static func words(_ name: String, _ label: String, _ off: String, _ on: String) -> MeasurementKind {
    MeasurementKind(name: name, label: label, unit: nil, form: .words(off: off, on: on))
  }
  private static func other(_ name: String, _ label: String) -> MeasurementKind {
    MeasurementKind(name: name, label: label, unit: nil, form: .other)
  }
}
