import BLESession
import CoreBluetooth

/// Converts a session's events to entries: begins and ends of connections, and all others as events.
///
/// `@unchecked Sendable`: used on the session's queue only.
final class ConnectionDiary: @unchecked Sendable {
  /// The device of the current link.
  private var linked: UUID?

  func entries(for news: DeviceNews, at time: Date) -> [StoreEntry] {
    let device = linked ?? news.identifier
    var entries: [StoreEntry] = []
    func add(_ content: StoreEntry.Content, _ device: UUID?) {
      entries.append(StoreEntry(content, device: device, name: news.name, at: time))
    }
    func event(_ kind: String, _ detail: String?) { add(.event(kind: kind, detail: detail), device) }
    func end(_ ending: StoredConnection.Ending, _ error: String?) {
      guard let link = linked else { return }
      linked = nil
      add(.disconnected(ending, error: error), link)
    }
    switch news.event {
    case .connected(let origin):
      linked = news.identifier
      add(.connected(origin), news.identifier)
    case .ready: add(.ready, device)
    case .disconnected(.user): end(.user, nil)
    case .disconnected(.lost(let error)): end(.lost, error?.localizedDescription)
    case .state(let state):
      if case .stopped(let reason) = state { end(reason == .user ? .user : .failed, nil) }
      event("state", state.word)
    case .attempt(let number, let remaining):
      event("attempt", "number \(number), \(remaining.milliseconds) ms left")
    case .attemptFailed(let number, let error):
      end(.failed, error.localizedDescription)
      event("attemptFailed", "number \(number): \(error.localizedDescription)")
    case .openingRepeated(let left): event("openingRepeated", "\(left) more possible")
    case .hint(let hint): event("hint", hint)
    case .subscriptionFailed(let path, let error): event("subscriptionFailed", "\(path): \(error.localizedDescription)")
    case .storageFailed(let error): event("memoryFailed", error.localizedDescription)
    case .servicesChanged: event("servicesChanged", nil)
    }
    return entries
  }
}

extension SessionState {
  /// The word stored in the record.
  var word: String {
    switch self {
    case .idle: "idle"
    case .searching: "searching"
    case .connecting: "connecting"
    case .preparing: "preparing"
    case .verifying: "verifying"
    case .ready: "ready"
    case .waiting: "waiting"
    case .disconnecting: "disconnecting"
    case .stopped(let reason): "stopped: \(reason.rawValue)"
    }
  }
}
