import BLECore
import BLEWire

/// The assigned names of the Bluetooth SIG.
package enum AssignedNames {
  /// A service's UUID, with its name where it has one.
  package static func labelled(service uuid: String) -> String { labelled(uuid, AssignedNumbers.service) }
  /// A characteristic's UUID, with its name where it has one.
  package static func labelled(characteristic uuid: String) -> String { labelled(uuid, AssignedNumbers.characteristic) }

  /// A service's name; `nil` where it has none.
  package static func name(service uuid: String) -> String? { BLEUUID(uuid).flatMap(AssignedNumbers.service) }
  /// A characteristic's name; `nil` where it has none.
  package static func name(characteristic uuid: String) -> String? {
    BLEUUID(uuid).flatMap(AssignedNumbers.characteristic)
  }

  /// A descriptor's name; `nil` where it has none.
  package static func name(descriptor uuid: String) -> String? { BLEUUID(uuid).flatMap(AssignedNumbers.descriptor) }

  private static func labelled(_ uuid: String, _ nameOf: (BLEUUID) -> String?) -> String {
    BLEUUID(uuid).flatMap(nameOf).map { "\(uuid) \($0)" } ?? uuid
  }

  /// The UUIDs with this name, ignoring case.
  package static func uuids(named name: String, _ nameOf: (BLEUUID) -> String?) -> [BLEUUID] {
    let wanted = name.lowercased()
    return (UInt16(0x1800)...0x2FFF).map(BLEUUID.init).filter { nameOf($0)?.lowercased() == wanted }
  }

  /// The company whose manufacturer specific data this is; `nil` where it has none.
  package static func company(_ data: [UInt8]) -> String? {
    guard data.count >= 2 else { return nil }
    let company = UInt16(data[0]) | UInt16(data[1]) << 8
    return AssignedNumbers.company(company) ?? numberText(company, digits: 4)
  }

  /// The company and content of manufacturer specific data.
  package static func manufacturer(_ data: [UInt8]) -> String {
    guard let name = company(data) else { return data.hexadecimal }
    return "\(name) \(data.dropFirst(2).hexadecimal)"
  }
}
