import BLECore
import BLEProfileFiles
import BLESession
import BLEWire
import CoreBluetooth

/// A characteristic as a command line names it, independent of a device: `2A19`, `180F/2A19`, or by an assigned name.
struct CharacteristicName: Equatable, Sendable, CustomStringConvertible {
  let description: String
  /// `nil` for any.
  private let services: [CBUUID]?
  private let characteristics: [CBUUID]

  func mayBe(in service: CBUUID?) -> Bool {
    services.map { services in service.map(services.contains) ?? false } ?? true
  }

  func matches(_ path: CharacteristicPath) -> Bool {
    characteristics.contains(path.characteristic) && mayBe(in: path.service)
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
    characteristics = try Self.uuids(last, AssignedNumbers.characteristic)
    services = parts.count == 2 ? try Self.uuids(parts[0], AssignedNumbers.service) : nil
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

extension KeptDevice {
  /// Finds the one characteristic with this name.
  func find(_ name: CharacteristicName) async throws(ToolError) -> DiscoveredCharacteristic {
    try requireLink()
    let all = await device.services().flatMap(\.characteristics).filter { name.mayBe(in: $0.path.service) }
    try requireLink()
    let found = all.filter { name.matches($0.path) }
    guard let first = found.first else {
      let others = all.prefix(12).map(\.path.characteristic.uuidString).joined(separator: ", ")
      let list = others.isEmpty ? "" : " It has \(others)."
      throw ToolError(.notFound, "\(title) has no characteristic \(name).\(list)")
    }
    let choices = found.map { "\($0.path.service?.uuidString ?? "?")/\($0.path.characteristic.uuidString)" }
    guard found.count == 1 || Set(choices).count < choices.count else {
      throw ToolError(
        .notFound, "\(title) has several characteristics \(name): say \(choices.joined(separator: " or "))")
    }
    return first
  }
}
