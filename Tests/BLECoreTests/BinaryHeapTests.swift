import BLECore
import Testing

@Suite("The heap")
struct BinaryHeapTests {
  private struct Entry: HeapElement, Equatable {
    let time: Int
    let number: Int
    func precedes(_ other: Entry) -> Bool { (time, number) < (other.time, other.number) }
  }

  @Test(
    "elements come in their order, those of one time as they were added, whatever was removed between",
    arguments: 1...20)
  func order(seed: UInt64) {
    let chance = SeededEntropy(seed: seed)
    var heap = BinaryHeap<Entry>()
    var expected: [Entry] = []
    for number in 0..<500 {
      switch chance.next() % 8 {
      case 0...4:
        let entry = Entry(time: Int(chance.next() % 40), number: number)
        heap.push(entry)
        expected.append(entry)
        expected.sort { $0.precedes($1) }
      case 5:
        let time = Int(chance.next() % 40)
        heap.removeAll { $0.time == time }
        expected.removeAll { $0.time == time }
      default:
        #expect(heap.first == expected.first)
        #expect(heap.popFirst() == (expected.isEmpty ? nil : expected.removeFirst()))
      }
      #expect(heap.count == expected.count)
    }
    while let next = heap.popFirst() { #expect(next == expected.removeFirst()) }
    #expect(expected.isEmpty)
  }
}
