import BLESession
import BLETestKit
import Testing

@testable import BLEGateway

@Suite("Queues that stand still")
struct QueueWatchTests {
  @Test("I17.4 a queue that does not come to a question hangs once the patience is over, until it comes to it")
  func hang() async throws {
    let world = World()
    let watch = QueueWatch(.seconds(300), by: world.clock)
    let asked = Guarded<[@Sendable () -> Void]>([])
    let ask = { (answer: @escaping @Sendable () -> Void) in asked.with { $0.append(answer) } }
    #expect(watch.moves(ask))
    await world.advance(by: .seconds(299))
    #expect(watch.moves(ask))
    await world.advance(by: .seconds(2))
    #expect(!watch.moves(ask))
    #expect(asked.with { $0.count } == 1, "one question at a time")
    for answer in asked.with({ $0 }) { answer() }
    #expect(watch.moves(ask))
    #expect(asked.with { $0.count } == 2)
  }

  @Test("I17.4 a queue that answers at once moves, however long ago it was asked")
  func moving() async throws {
    let world = World()
    let watch = QueueWatch(.seconds(1), by: world.clock)
    for _ in 0..<3 {
      #expect(watch.moves { $0() })
      await world.advance(by: .seconds(5))
    }
  }
}
