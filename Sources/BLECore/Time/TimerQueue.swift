/// Timers in the order of their deadlines: a heap over reused slots, so that scheduling, cancelling and firing allocate
/// nothing once the queue has grown.
public struct TimerQueue {
  private struct Entry: HeapElement {
    let deadline: StackInstant
    let sequence: UInt64
    let slot: Int32
    let generation: UInt32

    func precedes(_ other: Entry) -> Bool {
      deadline == other.deadline ? sequence < other.sequence : deadline < other.deadline
    }
  }

  private struct Slot {
    var generation: UInt32 = 0
    var kind: TimerKind = .background
    var tag = 0
    /// `nil` while the slot is free.
    var target: (any TimerTarget)?
  }

  private var heap = BinaryHeap<Entry>()
  private var slots: [Slot] = []
  private var free: [Int32] = []
  private var nextSequence: UInt64 = 0
  /// The number of waiting timers of kind `.work`.
  public private(set) var workCount = 0
  /// The number of waiting timers.
  public private(set) var count = 0

  public init() {}

  public mutating func schedule(
    at deadline: StackInstant, _ kind: TimerKind, _ target: any TimerTarget, tag: Int
  ) -> TimerToken {
    let index: Int32
    if let reused = free.popLast() {
      index = reused
    } else {
      index = Int32(slots.count)
      slots.append(Slot())
    }
    slots[Int(index)].kind = kind
    slots[Int(index)].tag = tag
    slots[Int(index)].target = target
    let generation = slots[Int(index)].generation
    heap.push(Entry(deadline: deadline, sequence: nextSequence, slot: index, generation: generation))
    nextSequence += 1
    count += 1
    if kind == .work { workCount += 1 }
    return TimerToken(slot: index, generation: generation)
  }

  public mutating func cancel(_ token: TimerToken) {
    let index = Int(token.slot)
    guard index >= 0, index < slots.count, slots[index].generation == token.generation, slots[index].target != nil
    else { return }
    release(index)
    // Cancelled entries stay in the heap until they surface; when they are the larger part, they are removed.
    if heap.count > 64, heap.count > 2 * count {
      heap.removeAll { [slots] in slots[Int($0.slot)].generation != $0.generation }
    }
  }

  /// The deadline of the next timer; `nil` if none waits.
  public mutating func nextDeadline() -> StackInstant? {
    while let first = heap.first {
      if isLive(first) { return first.deadline }
      heap.popFirst()
    }
    return nil
  }

  /// Removes the next timer if it is due by `instant`.
  public mutating func popDue(by instant: StackInstant) -> (target: any TimerTarget, tag: Int)? {
    guard let deadline = nextDeadline(), deadline <= instant else { return nil }
    guard let entry = heap.popFirst() else { return nil }
    let index = Int(entry.slot)
    guard let target = slots[index].target else { return nil }
    let tag = slots[index].tag
    release(index)
    return (target, tag)
  }

  private func isLive(_ entry: Entry) -> Bool {
    slots[Int(entry.slot)].generation == entry.generation
  }

  private mutating func release(_ index: Int) {
    if slots[index].kind == .work { workCount -= 1 }
    count -= 1
    slots[index].target = nil
    slots[index].generation &+= 1
    free.append(Int32(index))
  }
}
