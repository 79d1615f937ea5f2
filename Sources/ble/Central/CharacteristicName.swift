import BLECore
import BLESession
import CoreBluetooth

/// How a command line names a characteristic: `2A19`, `180F/2A19`, or by an assigned name.
struct CharacteristicName: Equatable, Sendable, CustomStringConvertible {
  let description: String
  private let service: Part?
  private let characteristic: Part

  private enum Part: Equatable {
    case uuid(BLEUUID)
    /// An assigned name in lower case.
    case name(String)

    init(_ text: Substring) {
      self = BLEUUID(text).map(Part.uuid) ?? .name(text.lowercased())
    }

    func matches(_ uuid: CBUUID, name: (BLEUUID) -> String?) -> Bool {
      guard let found = BLEUUID(uuid.uuidString) else { return false }
      return switch self {
      case .uuid(let wanted): wanted == found
      case .name(let wanted): name(found)?.lowercased() == wanted
      }
    }
  }

  func matches(_ service: CBService) -> Bool {
    self.service?.matches(service.uuid, name: AssignedNames.name(ofService:)) ?? true
  }

  func matches(_ characteristic: CBCharacteristic) -> Bool {
    self.characteristic.matches(characteristic.uuid, name: AssignedNames.name(ofCharacteristic:))
  }
}

extension CharacteristicName {
  /// The way to the characteristic by UUIDs alone, which stays right over every loss of the device.
  func path() throws(ToolError) -> CharacteristicPath {
    let found = try Self.uuid(characteristic, AssignedNames.name(ofCharacteristic:))
    guard let service else { return CharacteristicPath(found) }
    return CharacteristicPath(found, in: try Self.uuid(service, AssignedNames.name(ofService:)))
  }

  private static func uuid(_ part: Part, _ nameOf: (BLEUUID) -> String?) throws(ToolError) -> CBUUID {
    switch part {
    case .uuid(let uuid): return CBUUID(uuid)
    case .name(let name):
      guard let uuid = AssignedNames.uuids(named: name, nameOf).first else {
        throw ToolError(.notFound, "'\(name.inert)' is neither a UUID nor an assigned name.")
      }
      return CBUUID(uuid)
    }
  }
}

extension CharacteristicName: ArgumentValue {
  init(argument: String) throws(ArgumentValueError) {
    let parts = argument.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let last = parts.last, !parts.contains("") else {
      throw ArgumentValueError(
        "expected a UUID such as 2A19, a service and a characteristic such as 180F/2A19, or a name")
    }
    description = argument.inert
    characteristic = Part(last)
    service = parts.count == 2 ? Part(parts[0]) : nil
  }
}

extension ConnectedPeripheral {
  /// Looks for the one characteristic that is meant.
  func find(_ name: CharacteristicName) async throws(ToolError) -> CBCharacteristic {
    var found: [CBCharacteristic] = []
    var others: [String] = []
    for service in try await discoverServices() where name.matches(service) {
      for characteristic in try await discoverCharacteristics(of: service) {
        if name.matches(characteristic) {
          found.append(characteristic)
        } else {
          others.append(characteristic.uuid.uuidString)
        }
      }
    }
    guard let first = found.first else {
      let list = others.isEmpty ? "" : " It has " + others.prefix(12).joined(separator: ", ") + "."
      throw ToolError(.notFound, "\(title) has no characteristic \(name).\(list)")
    }
    guard found.count == 1 else {
      let choices = found.map { "\($0.service?.uuid.uuidString ?? "?")/\($0.uuid.uuidString)" }
      guard Set(choices).count == choices.count else { return first }
      throw ToolError(
        .notFound, "\(title) has several characteristics \(name): say \(choices.joined(separator: " or "))")
    }
    return first
  }
}
