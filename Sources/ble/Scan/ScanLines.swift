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
  private var known: [UUID: Sighting] = [:]
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
    known[heard.identifier] = heard
    if earlier == nil { devices += 1 }
    if output.isJSON || showsEverything {
      print(heard)
    } else if earlier.map(heard.differs) ?? true, isFresh.insert(heard.identifier).inserted {
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
    for identifier in fresh { known[identifier].map(print) }
    fresh.removeAll(keepingCapacity: true)
    isFresh.removeAll(keepingCapacity: true)
    output.flush()
  }

  private func print(_ sighting: Sighting) {
    output.event("discovered", sighting.json, sighting.line(output.style))
  }
}
