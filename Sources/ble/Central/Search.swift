import BLECore
import CoreBluetooth

/// A device to connect to, and the name under which it was found: one that it tells once connected may differ.
@MainActor struct FoundDevice {
  let peripheral: CBPeripheral
  let name: String?
}

/// The search for one device among all that are heard.
@MainActor final class Search {
  private let target: Target
  private(set) var found: FoundDevice?
  /// Names that were heard, to tell somebody who asked for one that is not there.
  private var heard: [String] = []
  private var others: Set<UUID> = []
  private static let mostNames = 8
  private static let mostOthers = 4096

  init(for target: Target) { self.target = target }

  func look(at sighting: Sighting, _ peripheral: CBPeripheral) {
    guard found == nil else { return }
    if matches(sighting) {
      found = FoundDevice(peripheral: peripheral, name: sighting.name)
      return
    }
    if others.count < Self.mostOthers { others.insert(sighting.identifier) }
    if let name = sighting.name, !heard.contains(name), heard.count < Self.mostNames { heard.append(name) }
  }

  private func matches(_ sighting: Sighting) -> Bool {
    switch target {
    case .name(let name): sighting.name == name
    case .identifier(let identifier): sighting.identifier == identifier
    case .address(let value): sighting.address?.value == value
    }
  }

  func failure(after seconds: Double) -> ToolError {
    var message = "\(target) was not found within \(seconds.plain) s."
    if case .name(let name) = target, let nearest = Suggestion.nearest(to: name, among: heard) {
      message += " Did you mean '\(nearest.inert)'?"
    } else if !heard.isEmpty {
      message += " Heard: " + heard.map { "'\($0.inert)'" }.joined(separator: ", ")
      message += others.count > heard.count ? " and others." : "."
    } else if !others.isEmpty {
      message += " Devices without a name were heard: \(others.count)."
    } else {
      message += " Nothing was heard."
    }
    return ToolError(.notFound, message)
  }
}
