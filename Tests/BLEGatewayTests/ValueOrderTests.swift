import BLEGateway
import Testing

@Suite("The order of values")
struct ValueOrderTests {
  private func stamp(_ epoch: Int, _ sequence: Int, _ gateway: String = "hall") throws -> ValueStamp {
    ValueStamp(
      epoch: epoch, holder: try #require(GatewayInstance(gateway: gateway, instance: "1")), sequence: sequence)
  }

  @Test("I17.3 a consumer knows values that are next, repeated, late, and how many are missing")
  func verdicts() throws {
    var order = ValueOrder()
    let steps: [(ValueStamp, ValueOrder.Verdict)] = [
      (try stamp(1, 1), .next), (try stamp(1, 2), .next), (try stamp(1, 2), .repeated),
      (try stamp(1, 6), .ahead(missing: 3)), (try stamp(1, 4), .late), (try stamp(1, 4), .repeated),
      (try stamp(2, 1), .next), (try stamp(1, 7), .late), (try stamp(1, 3), .late), (try stamp(2, 2), .next),
      (try stamp(2, 1, "attic"), .late), (try stamp(3, 0), .forgotten),
    ]
    for (stamp, verdict) in steps { #expect(order.take(stamp, of: "lamp") == verdict, "\(stamp)") }
    #expect(order.missing(of: "lamp") == 1 && order.missing(of: "lock") == 0)
  }

  @Test("I17.3 gaps, epochs and devices are bounded, and what is beyond is neither new nor repeated")
  func bounds() throws {
    var order = ValueOrder(mostDevices: 10)
    for sequence in stride(from: 2, through: 400, by: 2) { _ = order.take(try stamp(1, sequence), of: "lamp") }
    #expect(order.missing(of: "lamp") == 64)
    #expect(order.take(try stamp(1, 3), of: "lamp") == .forgotten)
    #expect(order.take(try stamp(1, 399), of: "lamp") == .late)
    for epoch in 2...40 { #expect(order.take(try stamp(epoch, 1), of: "lamp") == .next) }
    #expect(order.take(try stamp(1, 1), of: "lamp") == .forgotten)
    for number in 0..<10 { _ = order.take(try stamp(1, 1), of: "device-\(number)") }
    #expect(order.take(try stamp(1, 5), of: "lamp") == .ahead(missing: 4))
  }

  @Test("I17.3 whatever is repeated and mixed, each value is new once")
  func shuffled() throws {
    var order = ValueOrder()
    let all = try (0..<60).map { try stamp($0 % 3 + 1, $0 / 3 + 1) }
    var fresh: [ValueStamp] = []
    for value in (all + all + all).shuffled() {
      switch order.take(value, of: "lamp") {
      case .next, .ahead, .late: fresh.append(value)
      case .repeated, .forgotten: break
      }
    }
    #expect(fresh.sorted() == all.sorted() && order.missing(of: "lamp") == 0)
  }
}
