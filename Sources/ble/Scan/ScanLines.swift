import CoreBluetooth

/// Whoever shows what a scan finds.
@MainActor protocol ScanView: AnyObject {
  /// How many devices were found so far.
  var devices: Int { get }
  /// Takes what was heard; what is not wanted has been left out already.
  func add(_ sighting: Sighting)
  /// Shows what has not been shown yet. Nothing comes after this.
  func finish()
}

/// The devices that a scan has found so far, each as a line once it was heard.
@MainActor final class ScanLines: ScanView {
  private let output: Output
  private let showsEverything: Bool
  private struct Known {
    var sighting: Sighting
    /// The line without the strength, where it has been written already.
    var details: String?
  }

  private var known: [UUID: Known] = [:]
  /// Heard a moment ago: what the scan response adds belongs in the same line.
  private var fresh: [UUID] = []
  private var isFresh: Set<UUID> = []
  private(set) var devices = 0

  /// Somebody may make up new devices without end.
  static let limit = 65_536
  private static let settlingTime = 0.25

  init(to output: Output, showsEverything: Bool) {
    self.output = output
    self.showsEverything = showsEverything
  }

  func add(_ heard: Sighting) {
    let earlier = known[heard.identifier]
    guard earlier != nil || known.count < Self.limit else { return }
    // Most packets repeat what the one before said.
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
    DispatchQueue.main.asyncAfter(deadline: .now() + Self.settlingTime) { [weak self] in
      MainActor.assumeIsolated { self?.finish() }
    }
  }

  /// Prints what has not been printed yet.
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
