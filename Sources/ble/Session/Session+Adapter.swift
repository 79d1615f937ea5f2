import BLEAdapter
import BLEDefaultStack
import BLESession
import CoreBluetooth

extension Session {
  /// Waits until Bluetooth can be used, for commands that run until they are ended: for an adapter of this machine as long as it takes, since
  /// a service may start before its adapter is plugged in or switched on. Any other adapter has to be there.
  /// - Parameters:
  ///   - seconds: how long at the most; `nil` for as long as it takes.
  ///   - isOver: whether the command is to end, without an adapter.
  /// - Throws: what is wrong with Bluetooth, where that does not change by itself, or the waiting ended.
  func adapterIsReady(
    within seconds: Double? = nil, orUntil isOver: @escaping @MainActor () -> Bool = { false }
  ) async throws(ToolError) {
    var state = CBManagerState.unknown
    let central = BLESession.Central()
    let task = Task { [waiting] in
      for await now in central.states() {
        state = now
        waiting.changed()
      }
    }
    defer { task.cancel() }
    let late = ToolError(.unavailable, "The Bluetooth adapter did not get ready within \(timeout.plain) s.")
    try await waiting.until(within: timeout, else: late) { ToolError(state) != nil || state == .poweredOn || isOver() }
    if state == .poweredOn { return }
    guard let adapter = DefaultStack.machineAdapter, state != .unauthorized else { throw ToolError(state) ?? late }
    var told = CBManagerState.unknown
    try await waiting.until(within: seconds, else: ToolError(state)) { () throws(ToolError) in
      if state == .unauthorized, let failure = ToolError(state) { throw failure }
      if state != told { self.tellWaiting(for: adapter, state) }
      told = state
      return state == .poweredOn || isOver()
    }
    if state != .poweredOn { throw ToolError(state) ?? late }
  }

  private func tellWaiting(for adapter: AdapterName, _ state: CBManagerState) {
    let (word, sentence): (String, String)
    switch state {
    case .unsupported: (word, sentence) = ("missing", "it is not there, or something else has it")
    case .poweredOff: (word, sentence) = ("off", "it is switched off")
    default: return
    }
    guard output.isJSON else { return output.note("Waiting for the adapter \(adapter): \(sentence).".inert) }
    output.event("waiting", .object(["adapter": .string(adapter.description), "reason": .string(word)]), "")
  }
}
