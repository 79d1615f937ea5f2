import Foundation

/// Shows the devices that a scan finds.
@MainActor protocol ScanView: AnyObject, Sendable {
  /// The number of devices found so far.
  var devices: Int { get }
  /// Adds a discovery that has passed the filter.
  func add(_ sighting: Sighting)
  /// Shows everything that was not shown yet. No other call follows.
  func finish()
}

/// Prints the devices that a scan finds, one line each.
@MainActor final class ScanLines: ScanView {
  private let output: Output
  private let showsEverything: Bool
  private struct Known {
    var sighting: Sighting
    /// The line without the RSSI, if it was already formatted.
    var details: String?
  }

  private var known: [UUID: Known] = [:]
  /// Devices just received: their line waits for the scan response.
  private var fresh: [UUID] = []
  private var isFresh: Set<UUID> = []
  private(set) var devices = 0

  /// A limit, because an attacker can simulate any number of devices.
  static let limit = 65_536
  private static let settlingTime = 0.25

  init(to output: Output, showsEverything: Bool) {
    self.output = output
    self.showsEverything = showsEverything
  }

  func add(_ heard: Sighting) {
    let earlier = known[heard.identifier]
    guard earlier != nil || known.count < Self.limit else { return }
    // Most packets repeat the previous one.
    let isNews = earlier.map { heard.differs(from: $0.sighting) } ?? true
    known[heard.identifier] = Known(sighting: heard, details: isNews ? nil : earlier?.details)
    if earlier == nil { devices += 1 }
    if output.isJSON || showsEverything {
      print(heard.identifier)
    } else if isNews, isFresh.insert(heard.identifier).inserted {
      if fresh.isEmpty { settle() }
      fresh.append(heard.identifier)
    }
  }

  private func settle() {
    onMain(after: Self.settlingTime) { [weak self] in self?.finish() }
  }

  /// Prints the pending lines.
  func finish() {
    for identifier in fresh { print(identifier) }
    fresh.removeAll(keepingCapacity: true)
    isFresh.removeAll(keepingCapacity: true)
    output.flush()
  }

  private func print(_ identifier: UUID) {
    guard let sighting = known[identifier]?.sighting else { return }
    output.event("discovered", sighting.json, sighting.strength + details(of: identifier, sighting))
  }

  private func details(of identifier: UUID, _ sighting: Sighting) -> String {
    if let written = known[identifier]?.details { return written }
    let details = sighting.details(output.style)
    known[identifier]?.details = details
    return details
  }
}
