import BLECore
import BLEHCI
import Synchronization
import Testing

@Suite("The loop in real time", .timeLimit(.minutes(10)))
struct DispatchStackLoopTests {
  private final class Recorder: TimerTarget {
    var tags: [Int] = []
    let last: Int
    let done: () -> Void
    init(last: Int, done: @escaping () -> Void) {
      self.last = last
      self.done = done
    }
    func timerFired(tag: Int) {
      tags.append(tag)
      if tag == last { done() }
    }
  }

  @Test("timers fire in the order of their deadlines, not early, and cancelled ones not at all")
  func timers() async {
    let loop = DispatchStackLoop()
    let begin = loop.now
    let tags = await withCheckedContinuation { continuation in
      loop.submit(from: loop.makeOrigin()) {
        var recorder: Recorder?
        let made = Recorder(last: 3) { continuation.resume(returning: recorder?.tags ?? []) }
        recorder = made
        loop.schedule(at: begin + .milliseconds(30), .work, made, tag: 3)
        loop.schedule(at: begin + .milliseconds(10), .work, made, tag: 1)
        let token = loop.schedule(at: begin + .milliseconds(15), .work, made, tag: 9)
        loop.schedule(at: begin + .milliseconds(20), .background, made, tag: 2)
        loop.cancel(token)
      }
    }
    #expect(tags == [1, 2, 3])
    #expect(loop.now - begin >= .milliseconds(30))
  }

  @Test("a timer set by a timer fires too")
  func chained() async {
    let loop = DispatchStackLoop()
    await withCheckedContinuation { continuation in
      loop.submit(from: .common) {
        loop.schedule(after: .milliseconds(1), .work) {
          loop.schedule(after: .milliseconds(1), .work) { continuation.resume() }
        }
      }
    }
  }

  @Test("a timer that is due fires behind the jobs that wait, and what is set by it behind those that came meanwhile")
  func due() async {
    let loop = DispatchStackLoop()
    let seen = Mutex<[Int]>([])
    @Sendable func note(_ number: Int) { seen.withLock { $0.append(number) } }
    await withCheckedContinuation { continuation in
      loop.submit(from: .common) {
        loop.schedule(after: .milliseconds(5), .work) { continuation.resume() }
        loop.submit(from: .common) { note(1) }
        loop.schedule(after: .zero, .work) {
          note(2)
          loop.submit(from: .common) { note(4) }
          loop.schedule(after: .zero, .work) { note(5) }
        }
        loop.schedule(after: .zero, .work) { note(3) }
      }
    }
    #expect(seen.withLock { $0 } == [1, 2, 3, 4, 5])
  }

  private final class Delivery: CallbackDelivery {
    let number: Int
    let seen: @Sendable (Int) -> Void
    init(_ number: Int, _ seen: @escaping @Sendable (Int) -> Void) { (self.number, self.seen) = (number, seen) }
    func dispatch(finished: @escaping @Sendable () -> Void) {
      seen(number)
      finished()
    }
  }

  @Test("what a job delivers is dispatched behind it, in order")
  func deliveries() async {
    let loop = DispatchStackLoop()
    let seen = Mutex<[Int]>([])
    for round in 0..<2 {
      await withCheckedContinuation { continuation in
        loop.submit(from: .common) {
          for number in 1...3 {
            loop.deliver(Delivery(10 * round + number) { number in seen.withLock { $0.append(number) } })
          }
          seen.withLock { $0.append(10 * round) }
          loop.submit(from: .common) { continuation.resume() }
        }
      }
    }
    #expect(seen.withLock { $0 } == [0, 1, 2, 3, 10, 11, 12, 13])
  }

  @Test("jobs run one after the other, in order")
  func jobs() async {
    let loop = DispatchStackLoop()
    let origin = loop.makeOrigin()
    let seen = Mutex<[Int]>([])
    for number in 0..<100 { loop.submit(from: origin) { seen.withLock { $0.append(number) } } }
    await withCheckedContinuation { continuation in loop.submit(from: origin) { continuation.resume() } }
    #expect(seen.withLock { $0 } == Array(0..<100))
    #expect(loop.makeOrigin() != origin)
  }
}
