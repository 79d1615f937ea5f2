import BLECore
import Testing

@Suite("The table of values by handles")
struct SortedTableTests {
  @Test("I16.2 values are found by their handles, in whatever order these were added, replaced and removed")
  func againstDictionary() {
    let table = SortedTable<AttributeHandle, Int>()
    var expected: [AttributeHandle: Int] = [:]
    let chance = SeededEntropy(seed: 16)
    for step in 0..<2_000 {
      let handle = AttributeHandle(UInt16(chance.uniform(0..<200)))
      let value = chance.uniform(0..<3) == 0 ? nil : step
      table[handle] = value
      expected[handle] = value
      #expect(table[handle] == value)
      #expect(table.count == expected.count)
    }
    #expect(table.dictionary == expected)
    #expect(table.keys == expected.keys.sorted())
    table.removeAll { handle, _ in handle.rawValue % 2 == 0 }
    #expect(table.dictionary == expected.filter { $0.key.rawValue % 2 == 1 })
    table.removeAll()
    #expect(table.isEmpty && table[AttributeHandle(1)] == nil)
  }

  @Test("I16.2 a value that uses the table when it is released finds it in order")
  func usingWhileReleasing() {
    final class Owner {
      let table = SortedTable<Int, Releasing>()
    }
    final class Releasing {
      let work: () -> Void
      init(_ work: @escaping () -> Void) { self.work = work }
      deinit { work() }
    }
    let owner = Owner()
    var seen: [Int] = []
    func put(_ key: Int) { owner.table[key] = Releasing { [weak owner] in seen.append(owner?.table.count ?? -1) } }
    for key in 0..<4 { put(key) }
    owner.table[1] = nil
    put(2)
    owner.table.removeAll { key, _ in key == 0 }
    owner.table.removeAll()
    #expect(seen == [3, 3, 2, 0, 0])
  }
}
