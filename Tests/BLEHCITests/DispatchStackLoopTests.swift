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
