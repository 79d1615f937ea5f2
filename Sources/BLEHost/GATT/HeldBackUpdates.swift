import BLECore

/// Updates held back for a client until it is change-aware.
struct HeldBackUpdates {
  /// The maximum number of updates; further ones are dropped.
  static let limit = 64

  enum Update {
    case notification(AttributeHandle, ArraySlice<UInt8>, sent: (() -> Void)?)
    case indication(AttributeHandle, ArraySlice<UInt8>, completion: ((Bool) -> Void)?)

    /// Sends the value if the client is still subscribed; otherwise reports it as sent, or as not confirmed.
    func send(on link: GATTServerLink) {
      switch self {
      case .notification(let handle, let value, let sent):
        if !link.notify(handle, value, sent: sent) { sent?() }
      case .indication(let handle, let value, let completion):
        if !link.indicate(handle, value, completion) { completion?(false) }
      }
    }

    /// Reports the value as sent, or as not confirmed, because the link has ended.
    func drop() {
      switch self {
      case .notification(_, _, let sent): sent?()
      case .indication(_, _, let completion): completion?(false)
      }
    }
  }

  private var updates: [Update] = []

  /// Returns false if the limit is reached.
  mutating func append(_ update: Update) -> Bool {
    guard updates.count < Self.limit else { return false }
    updates.append(update)
    return true
  }

  mutating func takeAll() -> [Update] {
    defer { updates = [] }
    return updates
  }
}
