import BLESession

/// Things that take their time, one after another, up to the last one.
final class Turns: Sendable {
  private struct State {
    var before: Task<Void, Never>?
    var isOver = false
    /// How many were asked for.
    var count = 0
  }

  private let state = Guarded(State())

  /// How many were asked for so far.
  var count: Int { state.with { $0.count } }

  /// Does this when what was asked for before is done. Returns `nil`, and does nothing, behind the last one.
  func next<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value? {
    try await add(body, isLast: false)?.value
  }

  /// The same; nothing is done after it. Returns when it is done, also if it was asked for before.
  func last(_ body: @escaping @Sendable () async -> Void) async {
    if let task = add(body, isLast: true) { return _ = await task.result }
    await state.with { $0.before }?.value
  }

  private func add<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value, isLast: Bool
  ) -> Task<Value, any Error>? {
    state.with { state in
      if state.isOver { return nil }
      state.isOver = isLast
      state.count += 1
      let before = state.before
      let task = Task {
        await before?.value
        return try await body()
      }
      state.before = Task { _ = await task.result }
      return task
    }
  }
}
