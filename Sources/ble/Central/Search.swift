import BLECore
import CoreBluetooth

/// The search for one device among all that are received.
@MainActor final class Search {
  private let target: Target
  /// The device, and the name under which it was found: the name that it reports once connected may differ.
  private(set) var found: (identifier: UUID, name: String?)?
  /// Names that were received, for the message if the target is not found.
  private var heard: [String] = []
  private var others: Set<UUID> = []
  private static let mostNames = 8
  private static let mostOthers = 4096

  init(for target: Target) { self.target = target }

  /// Returns whether a received device is the target, the first time that it is.
  func look(at identifier: UUID, _ name: String?) -> Bool {
    guard found == nil else { return false }
    let isMeant =
      switch target {
      case .name(let wanted): name == wanted
      case .identifier(let wanted): identifier == wanted
      case .address(let wanted): PeerAddresses.address(of: identifier)?.value == wanted
      }
    if isMeant {
      found = (identifier, name)
      return true
    }
    if others.count < Self.mostOthers { others.insert(identifier) }
    if let name, !heard.contains(name), heard.count < Self.mostNames { heard.append(name) }
    return false
  }

  /// Waits until the device is found; throws the reason if it is not. `check` throws if waiting is pointless.
  func finish(
    in session: Session, _ check: @escaping @MainActor () throws(ToolError) -> Void
  ) async throws(ToolError) {
    do {
      try await session.waiting.until(within: session.timeout) { () throws(ToolError) in
        try check()
        return self.found != nil
      }
    } catch {
      throw error.status == .timedOut ? failure(after: session.timeout) : error
    }
  }

  private func failure(after seconds: Double) -> ToolError {
    var message = "\(target) was not found within \(seconds.plain) s."
    if case .name(let name) = target, let nearest = Suggestion.nearest(to: name, among: heard) {
      message += " Did you mean '\(nearest.inert)'?"
    } else if !heard.isEmpty {
      message += " Heard: " + heard.map { "'\($0.inert)'" }.joined(separator: ", ")
      message += others.count > heard.count ? " and others." : "."
    } else if !others.isEmpty {
      message += " Devices without a name were heard: \(others.count)."
    } else {
      message += " No device was heard."
    }
    return ToolError(.notFound, message)
  }
}
