internal import Synchronization

/// Limits how many values without acknowledgement are pending: writes without response of a peripheral, updates of a peripheral manager.
///
/// 32 short values fill more than one connection event on the fastest PHY, and 32 long ones take no more than 16 KiB. A full
/// window opens again when half of it is free, so that a program that fills it each time is called once for 16 values instead of
/// for each.
struct SendWindow: ~Copyable, Sendable {
  static let capacity = 32
  /// The maximum for programs that do not check for space; further values are dropped.
  static let limit = 1_024

  // Not private: Swift 6.3 does not compile a value that is stored in place and hides a part of itself.
  struct State {
    var inFlight = 0
    var isFull = false
    var isAnnounced = false
  }

  private let state = Mutex(State())

  var isFull: Bool { state.withLock { $0.isFull } }

  /// Takes a place, and closes the window with the last one; false beyond `limit`.
  func take() -> Bool {
    state.withLock { state in
      if state.inFlight >= Self.limit { return false }
      state.inFlight += 1
      if state.inFlight >= Self.capacity { state.isFull = true }
      return true
    }
  }

  /// Takes a place; if there is none, closes the window and returns false.
  func takeIfOpen() -> Bool {
    state.withLock { state in
      if state.inFlight >= Self.capacity { state.isFull = true }
      if state.isFull { return false }
      state.inFlight += 1
      return true
    }
  }

  /// Releases a place; true if the program is to be notified, once, that there is space again.
  func giveBack() -> Bool {
    state.withLock { state in
      if state.inFlight > 0 { state.inFlight -= 1 }
      guard state.isFull, !state.isAnnounced, state.inFlight <= Self.capacity / 2 else { return false }
      state.isAnnounced = true
      return true
    }
  }

  /// Called just before the program is notified.
  func reopen() {
    state.withLock { state in
      state.isFull = state.inFlight >= Self.capacity
      state.isAnnounced = false
    }
  }

  /// Nothing is pending: the links have ended.
  func reset() { state.withLock { $0 = State() } }
}
