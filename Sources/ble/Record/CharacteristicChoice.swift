import BLECore
import BLESession
import CoreBluetooth

/// Characteristics as a command line names them, without a device at hand: `2A19`, `180F/2A19`, or by an assigned name.
struct CharacteristicChoice: Equatable, Sendable, CustomStringConvertible {
  let description: String
  /// `nil` for any.
  let services: [CBUUID]?
  let characteristics: [CBUUID]

  func matches(_ path: CharacteristicPath) -> Bool {
    characteristics.contains(path.characteristic)
      && (services.map { services in path.service.map(services.contains) ?? false } ?? true)
  }
}

extension CharacteristicChoice {
  /// Each way in which it can be meant.
  var paths: [CharacteristicPath] {
    characteristics.flatMap { uuid in
      services.map { $0.map { CharacteristicPath(uuid, in: $0) } } ?? [CharacteristicPath(uuid)]
    }
  }
}

extension CharacteristicChoice: ArgumentValue {
  init(argument: String) throws(ArgumentValueError) {
    let parts = argument.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let last = parts.last, !parts.contains("") else {
      throw ArgumentValueError(
        "expected a UUID such as 2A19, a service and a characteristic such as 180F/2A19, or a name")
    }
    description = argument.inert
    characteristics = try Self.uuids(last, AssignedNames.name(ofCharacteristic:))
    services = parts.count == 2 ? try Self.uuids(parts[0], AssignedNames.name(ofService:)) : nil
  }

  /// The UUIDs that a text stands for: itself, or all that are called so.
  private static func uuids(
    _ text: Substring, _ name: (BLEUUID) -> String?
  ) throws(ArgumentValueError) -> [CBUUID] {
    if let uuid = BLEUUID(String(text)) { return [CBUUID(uuid)] }
    let wanted = text.lowercased()
    // Where the assigned numbers of services and characteristics are.
    let found = (UInt16(0x1800)...0x2FFF).map { BLEUUID($0) }.filter { name($0)?.lowercased() == wanted }
    guard !found.isEmpty else {
      throw ArgumentValueError("'\(String(text).inert)' is neither a UUID nor an assigned name")
    }
    return found.map { CBUUID($0) }
  }
}
