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
    var isNews = true
    if let place = known.index(forKey: heard.identifier) {
      // Most packets repeat the previous one: the text that they have in common is kept.
      isNews = heard.differs(from: known.values[place].sighting)
      known.values[place].sighting = heard
      if isNews { known.values[place].details = nil }
      if output.isJSON || showsEverything { return print(&known.values[place]) }
    } else {
      guard known.count < Self.limit else { return }
      devices += 1
      var found = Known(sighting: heard)
      if output.isJSON || showsEverything { print(&found) }
      known[heard.identifier] = found
    }
    if !output.isJSON, !showsEverything, isNews, isFresh.insert(heard.identifier).inserted {
      if fresh.isEmpty { settle() }
      fresh.append(heard.identifier)
    }
  }

  private func settle() {
    onMain(after: Self.settlingTime) { [weak self] in self?.finish() }
  }

  /// Prints the pending lines.
  func finish() {
    for identifier in fresh {
      if let place = known.index(forKey: identifier) { print(&known.values[place]) }
    }
    fresh.removeAll(keepingCapacity: true)
    isFresh.removeAll(keepingCapacity: true)
    output.flush()
  }

  private func print(_ device: inout Known) {
    let sighting = device.sighting
    if output.isJSON { return output.event("discovered", sighting.json, "") }
    let details = device.details ?? sighting.details(output.style)
    device.details = details
    output.line(sighting.strength + details)
  }
}
