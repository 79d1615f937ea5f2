import CoreBluetooth
import Foundation

/// What the thermostat's data sheet says: its service, its characteristics, and the octets of their values.
public enum Profile {
  public static var service: CBUUID { CBUUID(string: "3F1A0001-6C0D-4B52-9E7E-5D2C8B1A7F40") }
  /// Read, notify: what is measured, as `TemperatureValue`.
  public static var temperature: CBUUID { CBUUID(string: "3F1A0002-6C0D-4B52-9E7E-5D2C8B1A7F40") }
  /// Read, write, notify: what is wanted, as `TemperatureValue`. The knob on the device changes it too.
  public static var target: CBUUID { CBUUID(string: "3F1A0003-6C0D-4B52-9E7E-5D2C8B1A7F40") }
  /// Write: 1 locks the knob, 0 unlocks it. The device demands an encrypted link: the first write makes the devices pair.
  public static var childLock: CBUUID { CBUUID(string: "3F1A0004-6C0D-4B52-9E7E-5D2C8B1A7F40") }
  /// Write, notify: `UpdateCommand` and `UpdateAnswer`.
  public static var updateControl: CBUUID { CBUUID(string: "3F1A0005-6C0D-4B52-9E7E-5D2C8B1A7F40") }
  /// Write without response: the blocks of a firmware image, each with its checksum.
  public static var updateData: CBUUID { CBUUID(string: "3F1A0006-6C0D-4B52-9E7E-5D2C8B1A7F40") }

  /// All of them.
  public static var characteristics: [CBUUID] { [temperature, target, childLock, updateControl, updateData] }
}

/// A temperature: hundredths of a degree Celsius in two octets, the least significant first.
public enum TemperatureValue {
  public static func octets(_ hundredths: Int16) -> Data { Data(littleEndian: UInt16(bitPattern: hundredths)) }

  /// `nil` unless there are two octets.
  public static func hundredths(_ octets: Data) -> Int16? {
    guard octets.count == 2, let value = octets.littleEndian(UInt16.self, at: 0) else { return nil }
    return Int16(bitPattern: value)
  }
}

extension Data {
  init(littleEndian value: some FixedWidthInteger) {
    self.init(Swift.withUnsafeBytes(of: value.littleEndian) { Array($0) })
  }

  /// `nil` where the value would not end within the data.
  func littleEndian<Value: FixedWidthInteger & UnsignedInteger>(_: Value.Type, at offset: Int) -> Value? {
    let size = MemoryLayout<Value>.size
    guard offset >= 0, count - offset >= size else { return nil }
    return self[(startIndex + offset)..<(startIndex + offset + size)].reversed().reduce(0) { $0 << 8 | Value($1) }
  }
}
