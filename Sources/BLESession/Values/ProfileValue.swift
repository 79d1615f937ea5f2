import CoreBluetooth

/// A value that the Bluetooth SIG has assigned: its characteristic and how to decode it.
public struct ProfileValue<Value: Sendable>: Sendable {
  /// The characteristic.
  public let path: CharacteristicPath
  /// Decodes the characteristic's value; returns `nil` if it is invalid.
  public let decode: @Sendable (Data) -> Value?

  /// Creates a value from its characteristic and its decoding.
  public init(_ path: CharacteristicPath, decode: @escaping @Sendable (Data) -> Value?) {
    self.path = path
    self.decode = decode
  }
}

extension DeviceSession {
  /// Reads and decodes a value.
  /// - Throws: the errors of `read(_:)`, and `invalid` if the value cannot be decoded.
  public func read<Value>(_ value: ProfileValue<Value>) async throws(SessionError) -> Value {
    let octets = try await read(value.path)
    guard let decoded = value.decode(octets) else {
      throw SessionError(.invalid, "\(Hexadecimal.encode(octets)) is not a valid value of \(value.path)")
    }
    return decoded
  }
}

/// A heart rate measurement (Heart Rate Service).
public struct HeartRate: Sendable, Hashable {
  /// Beats per minute.
  public var beatsPerMinute: Int
  /// Whether the sensor detects skin contact; `nil` if it does not support that.
  public var hasContact: Bool?
  /// In kilojoules, since the last reset; `nil` if absent.
  public var energyExpended: Int?
  /// The RR intervals between beats, in seconds.
  public var intervals: [Double]

  /// Decodes a Heart Rate Measurement (2A37); `nil` if it is invalid.
  public init?(_ octets: Data) {
    var rest = octets
    func take(_ count: Int) -> UInt16? {
      guard rest.count >= count else { return nil }
      defer { rest = rest.dropFirst(count) }
      return UInt16(octets: rest.prefix(count), order: .littleEndian)
    }
    guard let flags = take(1), let rate = take(flags & 1 == 0 ? 1 : 2) else { return nil }
    beatsPerMinute = Int(rate)
    hasContact = flags & 0x04 == 0 ? nil : flags & 0x02 != 0
    energyExpended = nil
    if flags & 0x08 != 0 {
      guard let energy = take(2) else { return nil }
      energyExpended = Int(energy)
    }
    intervals = []
    if flags & 0x10 != 0 {
      while let interval = take(2) { intervals.append(Double(interval) / 1_024) }
    }
  }
}

extension ProfileValue where Value == Int {
  /// The transmit power in dBm (Tx Power Service).
  public static let transmitPower = ProfileValue(CharacteristicPath("2A07", in: "1804")) { octets in
    octets.first.map { Int(Int8(bitPattern: $0)) }
  }

  /// The battery level in per cent (Battery Service).
  public static let batteryLevel = ProfileValue(CharacteristicPath("2A19", in: "180F")) { octets in
    octets.count >= 1 && octets[octets.startIndex] <= 100 ? Int(octets[octets.startIndex]) : nil
  }
}

extension ProfileValue where Value == HeartRate {
  /// Heart Rate Measurement, 2A37.
  public static let heartRate = ProfileValue(CharacteristicPath("2A37", in: "180D")) { HeartRate($0) }
}

extension ProfileValue where Value == Double {
  /// In degrees Celsius (Health Thermometer Service); a value in degrees Fahrenheit is converted.
  public static let bodyTemperature = ProfileValue(CharacteristicPath("2A1C", in: "1809")) { octets in
    guard octets.count >= 5, let flags = octets.first,
      let bits = UInt32(octets: octets.dropFirst().prefix(4), order: .littleEndian),
      let value = medicalFloat(bits)
    else { return nil }
    return flags & 1 == 0 ? value : (value - 32) / 1.8
  }

  /// In degrees Celsius (Environmental Sensing Service).
  public static let temperature = ProfileValue(CharacteristicPath("2A6E", in: "181A")) { octets in
    // The smallest integer means that the value is unknown.
    octets.count < 2
      ? nil : Int16(octets: octets.prefix(2), order: .littleEndian).flatMap { $0 == .min ? nil : Double($0) / 100 }
  }

  /// In per cent (Environmental Sensing Service).
  public static let humidity = ProfileValue(CharacteristicPath("2A6F", in: "181A")) { octets in
    octets.count < 2
      ? nil : UInt16(octets: octets.prefix(2), order: .littleEndian).flatMap { $0 == .max ? nil : Double($0) / 100 }
  }

  /// The air pressure in pascals (Environmental Sensing Service).
  public static let pressure = ProfileValue(CharacteristicPath("2A6D", in: "181A")) { octets in
    octets.count < 4 ? nil : UInt32(octets: octets.prefix(4), order: .littleEndian).map { Double($0) / 10 }
  }

  /// The 32-bit FLOAT of ISO/IEEE 11073: 24-bit mantissa, 8-bit decimal exponent; `nil` for special values.
  static func medicalFloat(_ bits: UInt32) -> Double? {
    let mantissa = Int32(bitPattern: bits << 8) >> 8
    guard !(-0x80_0000 ... -0x7F_FFFE).contains(mantissa), mantissa < 0x7F_FFFE else { return nil }
    return Double(mantissa) * pow(10, Double(Int8(truncatingIfNeeded: bits >> 24)))
  }
}

extension ProfileValue where Value == String {
  /// Manufacturer Name String, 2A29.
  public static let manufacturerName = text("2A29")
  /// Model Number String, 2A24.
  public static let modelNumber = text("2A24")
  /// Serial Number String, 2A25.
  public static let serialNumber = text("2A25")
  /// Hardware Revision String, 2A27.
  public static let hardwareRevision = text("2A27")
  /// Firmware Revision String, 2A26.
  public static let firmwareRevision = text("2A26")
  /// Software Revision String, 2A28.
  public static let softwareRevision = text("2A28")
  private static func text(_ uuid: String) -> ProfileValue {
    ProfileValue(CharacteristicPath(uuid, in: "180A")) { octets in
      // Some devices pad the string with zeros.
      String(data: octets.prefix { $0 != 0 }, encoding: .utf8)
    }
  }
}
