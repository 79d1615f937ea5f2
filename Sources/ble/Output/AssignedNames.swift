import BLECore
import BLEWire

/// The names that the Bluetooth SIG has given to numbers.
enum AssignedNames {
  static func name(ofService uuid: BLEUUID) -> String? { AssignedNumbers.service(uuid) }
  static func name(ofCharacteristic uuid: BLEUUID) -> String? { AssignedNumbers.characteristic(uuid) }
  static func name(ofDescriptor uuid: BLEUUID) -> String? { AssignedNumbers.descriptor(uuid) }
  static func name(ofCompany number: UInt16) -> String? { AssignedNumbers.company(number) }

  /// A service's UUID, with its name where it has one.
  static func labelled(service uuid: String) -> String {
    guard let name = BLEUUID(uuid).flatMap(name(ofService:)) else { return uuid }
    return "\(uuid) \(name)"
  }

  /// Who made manufacturer data, and its octets.
  static func manufacturer(_ data: [UInt8]) -> String {
    guard data.count >= 2 else { return data.hexadecimal }
    let company = UInt16(data[0]) | UInt16(data[1]) << 8
    let name = name(ofCompany: company) ?? numberText(company, digits: 4)
    return "\(name) \(data.dropFirst(2).hexadecimal)"
  }
}
