internal import Synchronization

/// How many values that nobody acknowledges may be on their way: writes without response of a peripheral, updates of a
/// peripheral manager.
///
/// 32 values fill more than one connection event on the fastest PHY even where they are short, and hold no more than 16 KiB
/// where they are long. Once full it opens again when half of it is free, so that a program that fills it up each time is
/// called once for 16 values and not for each.
struct SendWindow: ~Copyable, Sendable {
  static let capacity = 32
  /// Programs that do not look whether there is space may have this many waiting; what comes on top is dropped.
  static let limit = 1_024

  // Not private: Swift 6.3 does not compile a value that is stored in place and hides a part of itself.
  struct State {
    var inFlight = 0
    var isFull = false
    var isAnnounced = false
  }

  private let state = Mutex(State())

  var isFull: Bool { state.withLock { $0.isFull } }

  /// Takes a place, and closes the window with its last one; false beyond `limit`.
  func take() -> Bool {
    state.withLock { state in
      if state.inFlight >= Self.limit { return false }
      state.inFlight += 1
      if state.inFlight >= Self.capacity { state.isFull = true }
      return true
    }
  }

  /// Takes a place; where there is none, closes the window and says false.
  func takeIfOpen() -> Bool {
    state.withLock { state in
      if state.inFlight >= Self.capacity { state.isFull = true }
      if state.isFull { return false }
      state.inFlight += 1
      return true
    }
  }

  /// Gives a place back; true where the program is to be told, once, that there is space again.
  func giveBack() -> Bool {
    state.withLock { state in
      if state.inFlight > 0 { state.inFlight -= 1 }
      guard state.isFull, !state.isAnnounced, state.inFlight <= Self.capacity / 2 else { return false }
      state.isAnnounced = true
      return true
    }
  }

  /// Just before the program is told.
  func reopen() {
    state.withLock { state in
      state.isFull = state.inFlight >= Self.capacity
      state.isAnnounced = false
    }
  }

  /// Nothing is on its way any more: the links are gone.
  func reset() { state.withLock { $0 = State() } }
}
