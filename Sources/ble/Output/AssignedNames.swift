import BLECore
import BLEWire

/// The assigned names of the Bluetooth SIG.
enum AssignedNames {
  /// A service's UUID, with its name where it has one.
  static func labelled(service uuid: String) -> String { labelled(uuid, AssignedNumbers.service) }
  /// A characteristic's UUID, with its name where it has one.
  static func labelled(characteristic uuid: String) -> String { labelled(uuid, AssignedNumbers.characteristic) }

  private static func labelled(_ uuid: String, _ nameOf: (BLEUUID) -> String?) -> String {
    BLEUUID(uuid).flatMap(nameOf).map { "\(uuid) \($0)" } ?? uuid
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
    let name = AssignedNumbers.company(company) ?? numberText(company, digits: 4)
    return "\(name) \(data.dropFirst(2).hexadecimal)"
  }
}
