import Testing

import BLECore

@Suite("The queue of packets that has memory of its own")
struct PacketQueueTests {
  @Test("I16.2 elements leave in the order in which they came, wherever the ring begins and whenever it grows")
  func order() {
    let queue = PacketQueue<[UInt8]>()
    var added: UInt8 = 0
    var removed: UInt8 = 0
    // More come than leave, so that the ring grows at each of its positions.
    for round in 0..<60 {
      for _ in 0...(round % 3) {
        queue.append([added])
        added += 1
      }
      for _ in 0..<min(round % 2 + 1, queue.count) {
        #expect(queue.first == [removed])
        #expect(queue.removeFirst() == [removed])
        removed += 1
      }
      #expect(queue.count == Int(added - removed))
    }
    while !queue.isEmpty {
      #expect(queue.removeFirst() == [removed])
      removed += 1
    }
    #expect(removed == added)
  }

  @Test("I16.2 the first element can be replaced in its place")
  func replacing() {
    let queue = PacketQueue<[UInt8]>()
    queue.append([1])
    queue.append([2])
    queue.first = [3]
    #expect(queue.removeFirst() == [3])
    #expect(queue.removeFirst() == [2])
  }

  @Test("I16.2 what is in it is released once: when it is removed, replaced or dropped, and with the queue")
  func releasing() {
    let counter = Counter()
    var queue: PacketQueue<Counted>? = PacketQueue()
    for _ in 0..<6 { queue?.append(Counted(counter)) }
    queue?.removeFirst()
    queue?.removeFirst()
    #expect(counter.living == 4)
    // Over the end of the ring, and once more than it has room for.
    for _ in 0..<5 { queue?.append(Counted(counter)) }
    #expect(counter.living == 9)
    queue?.first = Counted(counter)
    #expect(counter.living == 9)
    queue?.removeAll()
    #expect(counter.living == 0)
    queue?.append(Counted(counter))
    queue = nil
    #expect(counter.living == 0)
  }

  @Test("I16.2 an element that appends to the queue when it is released finds it in order")
  func appendingWhileReleasing() {
    let owner = Owner()
    owner.queue.append(Appending { [weak owner] in owner?.queue.append(Appending {}) })
    owner.queue.removeFirst()
    #expect(owner.queue.count == 1)
    owner.queue.removeAll()
    #expect(owner.queue.count == 0)
    owner.queue.append(Appending { [weak owner] in owner?.queue.append(Appending {}) })
    owner.queue.first = Appending {}
    #expect(owner.queue.count == 2)
  }

  @Test("I16.2 a queue that was long keeps the order after it was empty, when its memory is another")
  func emptiedWhenLong() {
    let queue = PacketQueue<Int>()
    for round in 0..<3 {
      for number in 0..<1_000 { queue.append(round + number) }
      for number in 0..<1_000 { #expect(queue.popFirst() == round + number) }
      #expect(queue.popFirst() == nil)
    }
  }

  private final class Owner {
    let queue = PacketQueue<Appending>()
  }

  private final class Counter {
    var living = 0
  }

  private final class Counted {
    private let counter: Counter

    init(_ counter: Counter) {
      self.counter = counter
      counter.living += 1
    }

    deinit { counter.living -= 1 }
  }

  private final class Appending {
    private let work: () -> Void

    init(_ work: @escaping () -> Void) { self.work = work }

    deinit { work() }
  }
}
