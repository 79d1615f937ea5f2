extension BTHomeObject {
  /// The objects of the published table.
  static let all: [UInt8: BTHomeObject] = numbers.merging(words) { $1 }.merging(others) { $1 }

  private static func number(
    _ name: String, _ unit: String?, _ width: Int, by divisor: Double = 1, isSigned: Bool = false,
    factor: Double = 1
  ) -> BTHomeObject {
    BTHomeObject(
      name: name, unit: unit,
      kind: .number(width, isSigned: isSigned, divisor: divisor, factor: factor))
  }

  private static let numbers: [UInt8: BTHomeObject] = [
    0x00: number("Packet identifier", nil, 1), 0x01: number("Battery", "%", 1),
    0x02: number("Temperature", "°C", 2, by: 100, isSigned: true),
    0x03: number("Humidity", "%", 2, by: 100),
    0x04: number("Pressure", "hPa", 3, by: 100), 0x05: number("Illuminance", "lx", 3, by: 100),
    0x06: number("Mass", "kg", 2, by: 100), 0x07: number("Mass", "lb", 2, by: 100),
    0x08: number("Dew point", "°C", 2, by: 100, isSigned: true), 0x09: number("Count", nil, 1),
    0x0A: number("Energy", "kWh", 3, by: 1_000), 0x0B: number("Power", "W", 3, by: 100),
    0x0C: number("Voltage", "V", 2, by: 1_000), 0x0D: number("PM2.5", "µg/m³", 2),
    0x0E: number("PM10", "µg/m³", 2),
    0x12: number("Carbon dioxide", "ppm", 2),
    0x13: number("Volatile organic compounds", "µg/m³", 2),
    0x14: number("Moisture", "%", 2, by: 100), 0x2E: number("Humidity", "%", 1),
    0x2F: number("Moisture", "%", 1),
    0x3D: number("Count", nil, 2), 0x3E: number("Count", nil, 4),
    0x3F: number("Rotation", "°", 2, by: 10, isSigned: true), 0x40: number("Distance", "mm", 2),
    0x41: number("Distance", "m", 2, by: 10), 0x42: number("Duration", "s", 3, by: 1_000),
    0x43: number("Current", "A", 2, by: 1_000), 0x44: number("Speed", "m/s", 2, by: 100),
    0x45: number("Temperature", "°C", 2, by: 10, isSigned: true),
    0x46: number("UV index", nil, 1, by: 10),
    0x47: number("Volume", "L", 2, by: 10), 0x48: number("Volume", "mL", 2),
    0x49: number("Volume flow rate", "m³/h", 2, by: 1_000), 0x4A: number("Voltage", "V", 2, by: 10),
    0x4B: number("Gas", "m³", 3, by: 1_000), 0x4C: number("Gas", "m³", 4, by: 1_000),
    0x4D: number("Energy", "kWh", 4, by: 1_000), 0x4E: number("Volume", "L", 4, by: 1_000),
    0x4F: number("Water", "L", 4, by: 1_000), 0x51: number("Acceleration", "m/s²", 2, by: 1_000),
    0x52: number("Gyroscope", "°/s", 2, by: 1_000),
    0x55: number("Volume in store", "L", 4, by: 1_000),
    0x56: number("Conductivity", "µS/cm", 2), 0x57: number("Temperature", "°C", 1, isSigned: true),
    0x58: number("Temperature", "°C", 1, by: 100, isSigned: true, factor: 35),
    0x59: number("Count", nil, 1, isSigned: true), 0x5A: number("Count", nil, 2, isSigned: true),
    0x5B: number("Count", nil, 4, isSigned: true),
    0x5C: number("Power", "W", 4, by: 100, isSigned: true),
    0x5D: number("Current", "A", 2, by: 1_000, isSigned: true),
    0x5E: number("Direction", "°", 2, by: 100),
    0x5F: number("Precipitation", "mm", 2, by: 10), 0x60: number("Channel", nil, 1),
    0x61: number("Rotational speed", "rpm", 2),
    0x62: number("Speed", "m/s", 4, by: 1_000_000, isSigned: true),
    0x63: number("Acceleration", "m/s²", 4, by: 1_000_000, isSigned: true),
    0x64: number("Light level", nil, 1),
    0xF0: number("Device type", nil, 2),
  ]

  private static func word(_ name: String, _ off: String, _ on: String) -> BTHomeObject {
    BTHomeObject(name: name, unit: nil, kind: .words(off, on))
  }

  private static let words: [UInt8: BTHomeObject] = [
    0x0F: word("State", "off", "on"), 0x10: word("Power", "off", "on"),
    0x11: word("Opening", "closed", "open"),
    0x15: word("Battery", "normal", "low"), 0x16: word("Battery charging", "no", "yes"),
    0x17: word("Carbon monoxide", "clear", "detected"), 0x18: word("Cold", "normal", "cold"),
    0x19: word("Connectivity", "disconnected", "connected"), 0x1A: word("Door", "closed", "open"),
    0x1B: word("Garage door", "closed", "open"), 0x1C: word("Gas", "clear", "detected"),
    0x1D: word("Heat", "normal", "hot"), 0x1E: word("Light", "none", "detected"),
    0x1F: word("Lock", "locked", "unlocked"), 0x20: word("Moisture", "dry", "wet"),
    0x21: word("Motion", "clear", "detected"), 0x22: word("Moving", "no", "yes"),
    0x23: word("Occupancy", "clear", "detected"), 0x24: word("Plug", "unplugged", "plugged in"),
    0x25: word("Presence", "away", "home"), 0x26: word("Problem", "no", "yes"),
    0x27: word("Running", "no", "yes"),
    0x28: word("Safety", "unsafe", "safe"), 0x29: word("Smoke", "clear", "detected"),
    0x2A: word("Sound", "clear", "detected"), 0x2B: word("Tamper", "off", "on"),
    0x2C: word("Vibration", "clear", "detected"), 0x2D: word("Window", "closed", "open"),
  ]

  private static let others: [UInt8: BTHomeObject] = [
    0x3A: BTHomeObject(name: "Button", unit: nil, kind: .button),
    0x3C: BTHomeObject(name: "Dimmer", unit: nil, kind: .dimmer),
    0x50: BTHomeObject(name: "Time", unit: nil, kind: .moment),
    0x53: BTHomeObject(name: "Text", unit: nil, kind: .text),
    0x54: BTHomeObject(name: "Raw", unit: nil, kind: .raw),
    0xF1: BTHomeObject(name: "Firmware", unit: nil, kind: .release(4)),
    0xF2: BTHomeObject(name: "Firmware", unit: nil, kind: .release(3)),
  ]
}
