import BLECore
import Dispatch
import Synchronization
import Testing

@Suite("The virtual loop")
struct VirtualLoopTests {
  private final class Recorder: TimerTarget {
    var fired: [(tag: Int, at: StackInstant)] = []
    let loop: VirtualLoop
    init(_ loop: VirtualLoop) { self.loop = loop }
    func timerFired(tag: Int) { fired.append((tag, loop.now)) }
  }

  /// `@unchecked Sendable`: the queue is serial.
  private final class QueueDelivery: CallbackDelivery, @unchecked Sendable {
    let queue: DispatchQueue
    let body: @Sendable () -> Void
    init(_ queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
      self.queue = queue
      self.body = body
    }
    func dispatch(finished: @escaping @Sendable () -> Void) {
      queue.async { [body] in
        body()
        finished()
      }
    }
  }

  private final class Carried: Sendable {
    private let list = Mutex<[Int]>([])
    var values: [Int] { list.withLock { $0 } }
    func append(_ value: Int) { list.withLock { $0.append(value) } }
  }

  @Test("timers fire in the order of their deadlines, and the clock jumps to each")
  func timerOrder() async {
    let loop = VirtualLoop()
    let recorder = Recorder(loop)
    for (tag, delay) in [(1, 30), (2, 10), (3, 20), (4, 10)] as [(Int, Int64)] {
      loop.schedule(after: .milliseconds(delay), .background, recorder, tag: tag)
    }
    await loop.run(until: .instant(.zero + .milliseconds(25)))
    #expect(recorder.fired.map(\.tag) == [2, 4, 3])
    #expect(loop.now == .zero + .milliseconds(25))
    #expect(recorder.fired[2].at == .zero + .milliseconds(20))
  }

  @Test("a loop that has ended is released although a queue that it followed was never left, and follows no other")
  func released() async {
    let queue = DispatchQueue(label: "model")
    weak var released: VirtualLoop?
    do {
      let loop = VirtualLoop()
      released = loop
      func program() -> ProgramQueue {
        ProgramQueue(queue, label: "model") { action in { queue.async(execute: action) } }
      }
      loop.follow(program())
      await loop.run(until: .instant(.zero + .milliseconds(1)))
      #expect(loop.queueLabels == ["model"])
      loop.end()
      loop.follow(program())
      #expect(loop.queueLabels.isEmpty)
    }
    // The thread of the last passage has left the loop's block.
    queue.sync {}
    #expect(released == nil)
  }

  @Test(
    "I14.3 a drawn order exchanges jobs of different origins, keeps those of one, and is the same for the same seed")
  func drawnOrder() async {
    func order(_ seed: UInt64) async -> [Int] {
      let loop = VirtualLoop()
      loop.varyOrder(by: SeededEntropy(seed: seed))
      let carried = Carried()
      for origin in 1...4 {
        let number = loop.makeOrigin()
        for part in 0..<2 {
          loop.submit(from: number) { carried.append(10 * origin + part) }
        }
      }
      await loop.run(until: .instant(.zero))
      return carried.values
    }
    var orders: Set<[Int]> = []
    for seed in 0..<20 as Range<UInt64> {
      let first = await order(seed)
      #expect(await order(seed) == first)
      for origin in 1...4 {
        #expect(first.filter { $0 / 10 == origin } == [10 * origin, 10 * origin + 1])
      }
      orders.insert(first)
    }
    #expect(orders.count > 5)
  }

  @Test("a cancelled timer does not fire, and its slot can be used again")
  func cancelling() async {
    let loop = VirtualLoop()
    let recorder = Recorder(loop)
    let token = loop.schedule(after: .milliseconds(1), .work, recorder, tag: 1)
    loop.cancel(token)
    loop.schedule(after: .milliseconds(2), .work, recorder, tag: 2)
    loop.cancel(token)
    await loop.run(until: .quiet(limit: .zero + .seconds(1)))
    #expect(recorder.fired.map(\.tag) == [2])
  }

  @Test("quiet means no work timer is left; background timers do not count")
  func quiet() async {
    let loop = VirtualLoop()
    let recorder = Recorder(loop)
    loop.schedule(after: .milliseconds(5), .work, recorder, tag: 1)
    loop.schedule(after: .seconds(5), .background, recorder, tag: 2)
    #expect(await loop.run(until: .quiet(limit: .distantFuture)) == .reached)
    #expect(loop.now == .zero + .milliseconds(5))
  }

  @Test("the clock waits for callbacks, and what they submit runs at their instant")
  func callbacksAreWork() async {
    let loop = VirtualLoop()
    let queue = DispatchQueue(label: "callbacks")
    let seen = Mutex<[StackInstant]>([])
    let origin = loop.makeOrigin()
    loop.schedule(after: .milliseconds(7), .work) { [unowned loop] in
      loop.deliver(
        QueueDelivery(queue) {
          loop.submit(from: origin) { seen.withLock { $0.append(loop.now) } }
        })
    }
    loop.schedule(after: .milliseconds(8), .work) {}
    await loop.run(until: .quiet(limit: .distantFuture))
    #expect(seen.withLock { $0 } == [.zero + .milliseconds(7)])
  }

  @Test("jobs submitted in one instant run in the order of their origins")
  func originOrder() async {
    let loop = VirtualLoop()
    let first = loop.makeOrigin()
    let second = loop.makeOrigin()
    let seen = Mutex<[Int]>([])
    loop.submit(from: second) { seen.withLock { $0.append(3) } }
    loop.submit(from: first) { seen.withLock { $0.append(1) } }
    loop.submit(from: second) { seen.withLock { $0.append(4) } }
    loop.submit(from: first) { seen.withLock { $0.append(2) } }
    await loop.run(until: .quiet(limit: .distantFuture))
    #expect(seen.withLock { $0 } == [1, 2, 3, 4])
  }

  @Test("a condition that never holds ends at its limit")
  func limit() async {
    let loop = VirtualLoop()
    let outcome = await loop.run(until: .condition(limit: .zero + .seconds(3)) { false })
    #expect(outcome == .limitPassed)
    #expect(loop.now == .zero + .seconds(3))
  }

  @Test("many timers, scheduled and cancelled at random, fire in order")
  func manyTimers() async {
    let loop = VirtualLoop()
    let recorder = Recorder(loop)
    let entropy = SeededEntropy(seed: 7)
    var expected = 0
    for tag in 0..<5_000 {
      let token = loop.schedule(
        after: .microseconds(Int64(entropy.uniform(0..<1_000_000))), .background, recorder, tag: tag)
      if entropy.uniform(0..<3) == 0 { loop.cancel(token) } else { expected += 1 }
    }
    await loop.run(until: .instant(.zero + .seconds(2)))
    #expect(recorder.fired.count == expected)
    #expect(zip(recorder.fired, recorder.fired.dropFirst()).allSatisfy { $0.at <= $1.at })
  }
}
