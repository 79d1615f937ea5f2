import BLECore

/// Values for a client that has to be told of a change of the database first.
struct HeldBackUpdates {
  /// How many are kept; what comes then is dropped.
  static let limit = 64

  enum Update {
    case notification(AttributeHandle, ArraySlice<UInt8>, sent: (() -> Void)?)
    case indication(AttributeHandle, ArraySlice<UInt8>, completion: ((Bool) -> Void)?)

    /// Sends the value if the client still wants it; otherwise it counts as sent, and as not confirmed.
    func send(on link: GATTServerLink) {
      switch self {
      case .notification(let handle, let value, let sent):
        if !link.notify(handle, value, sent: sent) { sent?() }
      case .indication(let handle, let value, let completion):
        if !link.indicate(handle, value, completion) { completion?(false) }
      }
    }

    /// The link has ended.
    func drop() {
      switch self {
      case .notification(_, _, let sent): sent?()
      case .indication(_, _, let completion): completion?(false)
      }
    }
  }

  private var updates: [Update] = []

  /// False where there is no room.
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
