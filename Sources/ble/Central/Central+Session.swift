import BLESession
import CoreBluetooth

/// The first steps of commands that use a `BLESession.Central`.
extension Central {
  /// A central whose Bluetooth is on.
  @MainActor static func started(in session: Session) async throws(ToolError) -> Central {
    let central = Central()
    try await central.whileWatchingPower(in: session) { (power) async throws(ToolError) in
      try await session.powerIsOn { power.now }
    }
    return central
  }

  /// Searches for a device until it is found or the time limit expires. Returns its identifier and the name under which it was found:
  /// the name that it reports once connected may differ.
  @MainActor func find(_ target: Target, in session: Session) async throws(ToolError) -> (
    identifier: UUID, name: String?
  ) {
    if case .identifier(let identifier) = target,
      let known = await core.value({ core in
        core.manager.retrievePeripherals(withIdentifiers: [identifier]).first.map {
          (identifier: $0.identifier, name: $0.name)
        }
      })
    {
      return known
    }
    let search = Search(for: target)
    let scan = await observeDiscoveries { discovery in
      onMain { if search.look(at: discovery.identifier, discovery.name) { session.waiting.changed() } }
    }
    defer { scan.cancel() }
    try await whileWatchingPower(in: session) { (power) async throws(ToolError) in
      try await search.finish(in: session) { () throws(ToolError) in try power.requirePower() }
    }
    guard let found = search.found else { throw ToolError(.notFound, "\(target) was not found.") }
    return found
  }

  /// The last known state of Bluetooth.
  @MainActor final class Power {
    var now = CBManagerState.unknown

    /// Throws if Bluetooth has become unavailable during an operation.
    func requirePower() throws(ToolError) {
      if let failure = ToolError(now) { throw failure }
      if now == .resetting { throw ToolError(.unavailable, "The Bluetooth adapter was lost.") }
    }
  }

  /// Runs `body`, and checks the conditions that are waited for whenever the state of Bluetooth changes.
  @MainActor func whileWatchingPower(
    in session: Session, _ body: @MainActor (Power) async throws(ToolError) -> Void
  ) async throws(ToolError) {
    let power = Power()
    let task = Task { @MainActor in
      for await state in states() {
        power.now = state
        session.waiting.changed()
      }
    }
    defer { task.cancel() }
    try await body(power)
  }
}

extension ToolError {
  @MainActor static func lateAdapter(_ session: Session) -> ToolError {
    ToolError(.unavailable, "The Bluetooth adapter was not ready within \(session.timeout.plain) s.")
  }
}
