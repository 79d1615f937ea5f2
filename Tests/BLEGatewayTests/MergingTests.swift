import BLEGateway
import Testing

@Suite("Advertisements of several gateways")
struct MergingTests {
  @Test("I17.3 the same advertisement of a device becomes one, with the strength at each gateway")
  func merged() {
    var merger = AdvertisementMerger<String>()
    #expect(merger.take("a", of: "tag", heardBy: "hall", rssi: -60, at: .seconds(1)).isEmpty)
    #expect(merger.take("a", of: "tag", heardBy: "attic", rssi: -50, at: .milliseconds(1_300)).isEmpty)
    #expect(merger.take("a", of: "tag", heardBy: "hall", rssi: -58, at: .milliseconds(1_400)).isEmpty)
    #expect(merger.take("b", of: "tag", heardBy: "hall", rssi: nil, at: .milliseconds(1_500)).isEmpty)
    #expect(merger.take("a", of: "pen", heardBy: "hall", rssi: -90, at: .milliseconds(1_600)).isEmpty)
    #expect(merger.count == 3 && merger.wake == .seconds(2))
    let first = merger.advance(to: .seconds(2))
    #expect(first.map(\.content) == ["a"] && first.map(\.time) == [.seconds(1)])
    #expect(first.first?.hearings.map(\.gateway) == ["attic", "hall"])
    #expect(first.first?.hearings.map(\.rssi) == [-50, -58] && first.first?.hearings.map(\.count) == [1, 2])
    // A second time is a second advertisement.
    let rest = merger.take("a", of: "tag", heardBy: "hall", rssi: -60, at: .seconds(3))
    #expect(rest.map(\.content) == ["b", "a"] && rest.map(\.device) == ["tag", "pen"])
    #expect(merger.advance(to: .seconds(4)).map(\.content) == ["a"] && merger.wake == nil)
  }

  @Test("I17.3 what waits is bounded: the oldest goes first, and none is lost or doubled")
  func bounds() {
    var merger = AdvertisementMerger<Int>(most: 50, mostGateways: 3)
    var out: [MergedAdvertisement<Int>] = []
    for number in 0..<5_000 {
      for gateway in 0..<5 {
        out += merger.take(number, of: "tag", heardBy: "gateway-\(gateway)", rssi: -60, at: .milliseconds(number))
      }
      #expect(merger.count <= 50)
    }
    out += merger.advance(to: .seconds(100))
    #expect(out.map(\.content) == Array(0..<5_000) && out.allSatisfy { $0.hearings.count == 3 })
  }
}
