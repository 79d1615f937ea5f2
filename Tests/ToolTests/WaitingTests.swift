import Testing

@testable import ble

@Suite("Waiting") @MainActor
struct WaitingTests {
  private let waiting = Waiting()

  @Test("A condition that already holds is not waited for")
  func aConditionThatAlreadyHoldsIsNotWaited() async throws {
    try await waiting.until(within: 0) { true }
  }

  @Test("A change ends the waits whose condition it fulfils")
  func aChangeEndsTheWaitsWhoseConditionItFulfils() async throws {
    var value = 0
    let patient = Task { try await waiting.until(within: nil) { value == 2 } }
    let quick = Task { try await waiting.until(within: nil) { value >= 1 } }
    await Task.yield()
    value = 1
    waiting.changed()
    try await quick.value
    value = 2
    waiting.changed()
    try await patient.value
  }

  @Test("An expired wait ends with the given error")
  func anExpiredWaitEndsWithTheGivenError() async {
    let late = ToolError(.notFound, "gone")
    await #expect(throws: late) { try await waiting.until(within: 0.01, else: late) { false } }
    let error = await #expect(throws: ToolError.self) { try await waiting.until(within: 0.01) { false } }
    #expect(error?.status == .timedOut)
  }

  @Test("A condition that can no longer hold ends the wait")
  func aConditionThatCanNoLongerHoldEndsTheWait() async {
    let lost = ToolError(.failed, "lost")
    var isLost = false
    let task = Task {
      try await waiting.until(within: nil) { () throws(ToolError) in
        if isLost { throw lost }
        return false
      }
    }
    await Task.yield()
    isLost = true
    waiting.changed()
    await #expect(throws: lost) { try await task.value }
  }

  @Test("An interruption ends all waits, except those of a proper end")
  func anInterruptionEndsAllWaits() async throws {
    let reason = ToolError(.interrupted, "Interrupted.")
    var isClosed = false
    let work = Task { try await waiting.until(within: nil) { false } }
    let cleanUp = Task { try await waiting.until(within: nil, isCleanUp: true) { isClosed } }
    await Task.yield()
    waiting.interrupt(reason)
    waiting.interrupt(ToolError(.terminated, "too late"))
    await #expect(throws: reason) { try await work.value }
    await #expect(throws: reason) { try await waiting.until(within: nil) { true } }
    isClosed = true
    waiting.changed()
    try await cleanUp.value
    #expect(waiting.interruption == reason)
  }

  @Test("Seconds are printed without needless decimals", arguments: [(0.5, "0.5"), (10, "10"), (1e300, "1e+300")])
  func secondsArePrintedWithoutNeedlessDecimals(value: Double, text: String) {
    #expect(value.plain == text)
  }
}
