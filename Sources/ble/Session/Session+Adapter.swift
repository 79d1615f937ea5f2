import BLEAdapter
import BLEDefaultStack
import BLESession
import CoreBluetooth

extension Session {
  /// Waits until the state is `poweredOn`, within the time limit; throws if it cannot become that.
  func powerIsOn(_ state: @escaping @MainActor () -> CBManagerState) async throws(ToolError) {
    try await waiting.until(within: timeout, else: .lateAdapter(self)) { () throws(ToolError) in
      if let failure = ToolError(state()) { throw failure }
      return state() == .poweredOn
    }
  }

  /// Waits until Bluetooth is powered on, for commands that run until they are ended. For an adapter of this machine there is no time
  /// limit, because a service may start before its adapter is plugged in or switched on. Any other adapter has to be available, and so
  /// does one of this machine that cannot be used for Bluetooth LE.
  /// - Parameters:
  ///   - seconds: a time limit for that case; `nil`: none.
  ///   - isOver: whether the command should end without an adapter.
  /// - Throws: the reason if Bluetooth is unavailable permanently, or the wait ended.
  func adapterIsReady(
    within seconds: Double? = nil, orUntil isOver: @escaping @MainActor () -> Bool = { false }
  ) async throws(ToolError) {
    let central = Central()
    try await central.whileWatchingPower(in: self) { [timeout, waiting] (power) async throws(ToolError) in
      let late = ToolError.lateAdapter(self)
      try await waiting.until(within: timeout, else: late) {
        ToolError(power.now) != nil || power.now == .poweredOn || isOver()
      }
      if power.now == .poweredOn { return }
      guard let adapter = DefaultStack.machineAdapter, power.now != .unauthorized, DefaultStack.failure == nil
      else {
        throw ToolError(power.now) ?? late
      }
      // An adapter that is plugged in, and cannot be used, does not change the state.
      let look = Task { @MainActor in
        while (try? await Task.sleep(for: .seconds(1))) != nil { waiting.changed() }
      }
      defer { look.cancel() }
      var told = CBManagerState.unknown
      try await waiting.until(within: seconds, else: ToolError(power.now)) { () throws(ToolError) in
        if power.now == .unauthorized || DefaultStack.failure != nil, let failure = ToolError(power.now) {
          throw failure
        }
        if power.now != told { self.tellWaiting(for: adapter, power.now) }
        told = power.now
        return power.now == .poweredOn || isOver()
      }
      if power.now != .poweredOn { throw ToolError(power.now) ?? late }
    }
  }

  private func tellWaiting(for adapter: AdapterName, _ state: CBManagerState) {
    let (word, sentence): (String, String)
    switch state {
    case .unsupported: (word, sentence) = ("missing", "it is missing, or another program uses it")
    case .poweredOff: (word, sentence) = ("off", "it is switched off")
    default: return
    }
    guard output.isJSON else { return output.note("Waiting for the adapter \(adapter): \(sentence).".inert) }
    output.event("waiting", .object(["adapter": .string(adapter.description), "reason": .string(word)]), "")
  }
}
