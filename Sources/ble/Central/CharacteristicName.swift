import BLECore
import BLESession
import CoreBluetooth

/// A characteristic as a command line names it, independent of a device: `2A19`, `180F/2A19`, or by an assigned name.
struct CharacteristicName: Equatable, Sendable, CustomStringConvertible {
  let description: String
  /// `nil` for any.
  private let services: [CBUUID]?
  private let characteristics: [CBUUID]

  func matches(_ service: CBService) -> Bool { services?.contains(service.uuid) ?? true }
  func matches(_ characteristic: CBCharacteristic) -> Bool { characteristics.contains(characteristic.uuid) }

  func matches(_ path: CharacteristicPath) -> Bool {
    characteristics.contains(path.characteristic)
      && (services.map { services in path.service.map(services.contains) ?? false } ?? true)
  }

  /// All paths that the name can mean, by UUID only, so that they stay valid over reconnections.
  var paths: [CharacteristicPath] {
    characteristics.flatMap { uuid in
      services.map { $0.map { CharacteristicPath(uuid, in: $0) } } ?? [CharacteristicPath(uuid)]
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
    characteristics = try Self.uuids(last, AssignedNames.name(ofCharacteristic:))
    services = parts.count == 2 ? try Self.uuids(parts[0], AssignedNames.name(ofService:)) : nil
  }

  /// The UUIDs that a text means: the UUID itself, or all with that assigned name.
  private static func uuids(
    _ text: Substring, _ nameOf: (BLEUUID) -> String?
  ) throws(ArgumentValueError) -> [CBUUID] {
    if let uuid = BLEUUID(text) { return [CBUUID(uuid)] }
    let found = AssignedNames.uuids(named: String(text), nameOf)
    guard !found.isEmpty else {
      throw ArgumentValueError("'\(String(text).inert)' is neither a UUID nor an assigned name")
    }
    return found.map { CBUUID($0) }
  }
}

extension ConnectedPeripheral {
  /// Finds the one characteristic with this name. The result is cached until the device changes its services.
  func find(_ name: CharacteristicName) async throws(ToolError) -> CBCharacteristic {
    if let known = characteristics[name.description] { return known }
    let found = try await discover(name)
    characteristics[name.description] = found
    return found
  }

  private func discover(_ name: CharacteristicName) async throws(ToolError) -> CBCharacteristic {
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
