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
  static let door = words("door", "Door", "closed", "open")
  static let opening = words("opening", "Opening", "closed", "open")
  static let light = words("light", "Light", "none", "detected")
  static let motion = words("motion", "Motion", "clear", "detected")
  static let smoke = words("smoke", "Smoke", "clear", "detected")
  static let wet = words("moisture_detected", "Moisture detected", "dry", "wet")
  static let powerOn = words("power_on", "Power on", "off", "on")

  // What BTHome does not have.
  static let formaldehyde = number("formaldehyde", "Formaldehyde", "mg/m³")
  static let supply = number("supply", "Supply that is left", "%")
  static let idle = number("idle", "Time without motion", "s")
  static let accelerationX = number("acceleration_x", "Acceleration X", "m/s²")
  static let accelerationY = number("acceleration_y", "Acceleration Y", "m/s²")
  static let accelerationZ = number("acceleration_z", "Acceleration Z", "m/s²")
  static let movements = number("movements", "Movements", nil)
  static let doorEvent = other("door_event", "Door event")
  static let button = other("button_number", "Button number")
  static let press = other("press", "Kind of press")

  /// All of them.
  package static var makers: [MeasurementKind] {
    [
      temperature, humidity, pressure, battery, voltage, illuminance, moisture, conductivity, carbonDioxide, fineDust,
      dust, door, opening, light, motion, smoke, wet, powerOn, formaldehyde, supply, idle, accelerationX,
      accelerationY, accelerationZ, movements, doorEvent, button, press,
    ]
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
