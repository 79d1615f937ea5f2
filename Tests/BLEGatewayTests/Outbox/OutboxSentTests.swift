import BLESession
import Foundation
import Testing

@testable import BLEGateway

@Suite("Values that are left in an outbox", .timeLimit(.minutes(10)))
struct OutboxSentTests {
  @Test("I17.3 the outbox reports when the last value of one device was delivered, whatever others have left")
  func told() async throws {
    let folder = try TemporaryFolder()
    let outbox = try Outbox(
      folder.path("attic.outbox"), gateway: "attic", lossDraft: { _ in OutboxDraft(.loss, topic: "x", payload: "{}") })
    let told = Guarded(0)
    /// What the queue has had to do before is done when it returns.
    func isTold() async -> Bool {
      await withCheckedContinuation { continuation in
        outbox.messages(after: 0, limit: 1) { _ in continuation.resume() }
      }
      return told.with { $0 } > 0
    }
    for (topic, kind) in [("a/b/1", OutboxKind.value), ("a/b/2", .value), ("a/bc/1", .value), ("a/b/x", .event)] {
      outbox.add(OutboxDraft(kind, topic: topic, payload: "{}"))
    }
    outbox.whenSent(valuesOn: "a/b/") { told.with { $0 += 1 } }
    #expect(await isTold() == false)
    for sequence in [Int64(2), 1] {
      #expect(told.with { $0 } == 0)
      outbox.deliver([sequence])
      while outbox.contents.rows > (sequence == 2 ? 3 : 2) { await Task.yield() }
    }
    #expect(await isTold())
    outbox.whenSent(valuesOn: "nothing/") { told.with { $0 += 1 } }
    _ = await isTold()
    #expect(told.with { $0 } == 2 && outbox.contents.rows == 2)
    await outbox.close()
  }
}
