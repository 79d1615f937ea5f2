import Testing

@testable import ble

@Suite("Waiting") @MainActor
struct WaitingTests {
  private let waiting = Waiting()

  @Test func `What is there already is not waited for`() async throws {
    try await waiting.until(within: 0) { true }
  }

  @Test func `A change ends the waiting of those whose condition it fulfils`() async throws {
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

  @Test func `Time runs out with the error that was given`() async {
    let late = ToolError(.notFound, "gone")
    await #expect(throws: late) { try await waiting.until(within: 0.01, else: late) { false } }
    let error = await #expect(throws: ToolError.self) { try await waiting.until(within: 0.01) { false } }
    #expect(error?.status == .timedOut)
  }

  @Test func `A condition that cannot come true any more ends the waiting`() async {
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

  @Test func `An interruption ends all waiting, but for what ends things in good order`() async throws {
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

  @Test(arguments: [(0.5, "0.5"), (10, "10"), (1e300, "1e+300")])
  func `Seconds are printed without needless decimals`(value: Double, text: String) {
    #expect(value.plain == text)
  }
}
