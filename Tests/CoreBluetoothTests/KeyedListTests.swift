import BLEAdapter
import Testing

@testable import CoreBluetooth

@Suite struct KeyedListTests {
  /// A key that counts its comparisons and hashes.
  private final class Looks { var count = 0 }
  private struct Key: Hashable {
    let number: Int
    let looks: Looks
    static func == (left: Self, right: Self) -> Bool {
      left.looks.count += 1
      return left.number == right.number
    }
    func hash(into hasher: inout Hasher) {
      looks.count += 1
      hasher.combine(number)
    }
  }

  @Test("what is added and removed keeps its order, each key once")
  func whatIsAddedAndRemovedKeepsItsOrder() {
    var list = KeyedList<Int, String>()
    var expected: [Int] = []
    for number in 0..<200 {
      list.add("\(number)", for: number)
      list.add("another", for: number)
      expected.append(number)
      if number % 3 != 0 {
        #expect(list.remove(number / 2) == (expected.contains(number / 2) ? "\(number / 2)" : nil))
        expected.removeAll { $0 == number / 2 }
      }
      #expect(list.values == expected.map(String.init))
    }
    for number in expected { #expect(list.remove(number) == "\(number)") }
    #expect(list.isEmpty && list.values.isEmpty)
  }

  @Test("the work for each of many subscribers does not grow with their number")
  func theWorkForEachOfManySubscribersDoesNotGrow() {
    func looks(for count: Int) -> Int {
      let looks = Looks()
      var list = KeyedList<Key, Int>()
      for number in 0..<count { list.add(number, for: Key(number: number, looks: looks)) }
      for number in 0..<count { list.add(number, for: Key(number: number, looks: looks)) }
      for number in 0..<count { _ = list.remove(Key(number: number, looks: looks)) }
      return looks.count
    }
    // Twice as many take about twice the operations; searching all of them for each would take four times as many.
    #expect(looks(for: 8_000) < looks(for: 4_000) * 3)
    #expect(looks(for: 8_000) < 8_000 * 40)
  }

  @Test("ten thousand centrals subscribe to a characteristic and leave it")
  func tenThousandCentralsSubscribeToACharacteristicAndLeave() {
    let characteristic = CBMutableCharacteristic(
      type: CBUUID(string: "FF11"), properties: [.notify], value: nil, permissions: [])
    let table = PeerTable<CBCentral>()
    let centrals = (0..<10_000).map { number in
      CBCentral(
        RemoteCentral(identifier: PeerIdentifier(high: 0, low: number), maximumUpdateValueLength: 20), in: table)
    }
    for central in centrals {
      characteristic.add(central)
      characteristic.add(central)
    }
    #expect(characteristic.subscribedCentrals?.count == centrals.count)
    #expect(characteristic.subscribedCentrals?.last === centrals.last)
    for central in centrals { characteristic.remove(central) }
    #expect(characteristic.subscribedCentrals == [] && !characteristic.hasSubscribers)
  }
}
