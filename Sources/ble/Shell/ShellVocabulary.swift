import BLECore
import BLESession
import BLEWire
import CoreBluetooth

/// What a line of the shell can name on the device, for completion.
struct ShellVocabulary: Equatable, Sendable {
  /// Characteristics, by UUID and assigned name, and with their service where several have one UUID.
  var characteristics: [String] = []
  /// All characteristics with their services: `180F/2A19`.
  var paths: [String] = []
  /// The characteristics that are subscribed to.
  var subscribed: [String] = []

  init(characteristics: [String] = [], paths: [String] = [], subscribed: [String] = []) {
    (self.characteristics, self.paths, self.subscribed) = (characteristics, paths, subscribed)
  }

  init(of found: [CharacteristicPath]) {
    let uuids = found.map(\.characteristic.uuidString)
    let names = uuids.compactMap { BLEUUID($0).flatMap(AssignedNumbers.characteristic) }
    let several = Dictionary(grouping: found, by: \.characteristic.uuidString).values.filter { $0.count > 1 }.joined()
    characteristics = Set(uuids + names + several.map(Self.text)).sorted()
    paths = Set(found.map(Self.text)).sorted()
  }

  private static func text(_ path: CharacteristicPath) -> String {
    (path.service.map { "\($0.uuidString)/" } ?? "") + path.characteristic.uuidString
  }

  /// The UUID, with the service if other characteristics have the same one.
  func shortest(of path: CharacteristicPath) -> String {
    let whole = Self.text(path)
    return characteristics.contains(whole) ? whole : path.characteristic.uuidString
  }
}
