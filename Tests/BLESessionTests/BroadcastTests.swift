import Testing

@testable import BLESession

/// Events sent to several listeners.
struct BroadcastTests {
  @Test("listeners are called in the order in which they were added, also after some have left")
  func order() {
    let broadcast = Broadcast<Int>()
    var called: [Int] = []
    let numbers = (0..<100).map { listener in broadcast.add(tell: { _ in called.append(listener) }, finish: {}) }
    for listener in stride(from: 0, to: 100, by: 3) { broadcast.remove(numbers[listener]) }
    broadcast.send(1)
    #expect(called == (0..<100).filter { !$0.isMultiple(of: 3) })
  }
}
