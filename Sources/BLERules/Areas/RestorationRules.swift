import BLEAdapter

/// Managers across the launches of an app.
struct RestorationRules {
  private var identifiers: [ProgramManager.Role: Set<String>] = [:]
  /// Those of the process before.
  private var earlier: [ProgramManager.Role: Set<String>] = [:]
  /// The managers that live, with their identifiers.
  private var living: [ProgramManager: String] = [:]

  mutating func see(_ event: ProgramEvent, _ findings: inout RuleFindings) {
    switch (event.kind, event.name) {
    case (.call, "init(delegate:queue:options:)"): made(event, &findings)
    case (.call, "deinit"): living[event.manager] = nil
    case (.unhandled, "centralManager(_:willRestoreState:)"), (.unhandled, "peripheralManager(_:willRestoreState:)"):
      findings.strike(.restorationUnhandled, event, "the delegate has no \(event.name)")
    default: return
    }
  }

  private mutating func made(_ event: ProgramEvent, _ findings: inout RuleFindings) {
    let role = event.manager.role
    let before = earlier[role] ?? []
    guard let identifier = event.restoreIdentifier else {
      if let missing = before.subtracting(identifiers[role] ?? []).min() {
        findings.strike(
          .identifierMissing, event, "a manager without a restore identifier, and the earlier process had '\(missing)'")
      }
      return
    }
    if !before.isEmpty, !before.contains(identifier) {
      findings.strike(
        .identifierChanged, event,
        "the restore identifier '\(identifier)', and the earlier process had '\(before.sorted().joined(separator: "', '"))'"
      )
    }
    if living.contains(where: { $0.key.role == role && $0.value == identifier }) {
      findings.strike(.identifierTwice, event, "the restore identifier '\(identifier)' is in use")
    }
    identifiers[role, default: []].insert(identifier)
    living[event.manager] = identifier
  }

  mutating func processEnded() {
    // A process that has made no manager has not changed what is preserved.
    for (role, made) in identifiers where !made.isEmpty { earlier[role] = made }
    identifiers = [:]
    living = [:]
  }
}
