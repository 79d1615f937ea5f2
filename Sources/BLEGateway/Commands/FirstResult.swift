import BLESession

/// The first of several results.
final class FirstResult<Value: Sendable>: Sendable {
  private struct State {
    var value: Value?
    var continuation: CheckedContinuation<Value, Never>?
    var isGiven = false
  }

  private let state = Guarded(State())

  /// Returns whether it was the first.
  @discardableResult
  func give(_ value: Value) -> Bool {
    let (isFirst, continuation) = state.with { state -> (Bool, CheckedContinuation<Value, Never>?) in
      if state.isGiven { return (false, nil) }
      state.isGiven = true
      state.value = value
      return (true, state.continuation)
    }
    continuation?.resume(returning: value)
    return isFirst
  }

  func value() async -> Value {
    await withCheckedContinuation { continuation in
      let early = state.with { state -> Value? in
        if state.isGiven { return state.value }
        state.continuation = continuation
        return nil
      }
      if let early { continuation.resume(returning: early) }
    }
  }
}
