import BLECore
import BLEWire

/// The assigned names of the Bluetooth SIG.
enum AssignedNames {
  static func name(ofService uuid: BLEUUID) -> String? { AssignedNumbers.service(uuid) }
  static func name(ofCharacteristic uuid: BLEUUID) -> String? { AssignedNumbers.characteristic(uuid) }
  static func name(ofDescriptor uuid: BLEUUID) -> String? { AssignedNumbers.descriptor(uuid) }
  static func name(ofCompany number: UInt16) -> String? { AssignedNumbers.company(number) }

  /// The same for a UUID's text.
  static func name(ofCharacteristicText uuid: String) -> String? { BLEUUID(uuid).flatMap(name(ofCharacteristic:)) }

  /// A service's UUID, with its name where it has one.
  static func labelled(service uuid: String) -> String {
    guard let name = BLEUUID(uuid).flatMap(name(ofService:)) else { return uuid }
    return "\(uuid) \(name)"
  }

  /// A characteristic's UUID, with its name where it has one.
  static func labelled(characteristic uuid: String) -> String {
    guard let name = BLEUUID(uuid).flatMap(name(ofCharacteristic:)) else { return uuid }
    return "\(uuid) \(name)"
  }

  /// The UUIDs with this name, ignoring case.
  static func uuids(named name: String, _ nameOf: (BLEUUID) -> String?) -> [BLEUUID] {
    let wanted = name.lowercased()
    return (UInt16(0x1800)...0x2FFF).map(BLEUUID.init).filter { nameOf($0)?.lowercased() == wanted }
  }

  /// The company and content of manufacturer specific data.
  static func manufacturer(_ data: [UInt8]) -> String {
    guard data.count >= 2 else { return data.hexadecimal }
    let company = UInt16(data[0]) | UInt16(data[1]) << 8
    let name = name(ofCompany: company) ?? numberText(company, digits: 4)
    return "\(name) \(data.dropFirst(2).hexadecimal)"
  }
}
