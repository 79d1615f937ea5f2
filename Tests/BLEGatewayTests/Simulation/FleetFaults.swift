import BLECore
import BLEGateway

/// What happens to a simulated fleet, drawn from its seed.
enum FleetFault: CaseIterable {
  case kill, end, stall, cut, silentCut, restart, forget, garbage, stale, move, split, giveUp

  /// Faults that leave one network whole, in which all reach each other.
  static let whole: [FleetFault] = [.kill, .end, .restart, .garbage, .stale, .move, .giveUp]
}

extension SimulatedFleet {
  /// Lets faults happen from 15 s on.
  /// - Returns: when all of them are over.
  func disturb(_ count: Int, among kinds: [FleetFault]) -> Duration {
    var end = Duration.seconds(15)
    for _ in 0..<count {
      let begin = Duration.fraction(15 + chance.unit() * Double(count) * 6)
      let kind = kinds[Int(chance.uniform(0..<UInt64(kinds.count)))]
      let length = Duration.fraction(0.5 + chance.unit() * 14)
      // A silent cut is noticed after 15 s at the latest.
      end = max(end, begin + length + (kind == .silentCut || kind == .kill ? .seconds(16) : .zero))
      time.at(begin) { [self] in strike(kind, for: length) }
    }
    return end
  }

  private func strike(_ kind: FleetFault, for length: Duration) {
    let gateway = gateways[Int(chance.uniform(0..<UInt64(gateways.count)))]
    let number = Int(chance.uniform(0..<UInt64(devices.count)))
    let topic = LeaseTopic.lease(device: devices[number].name).path
    switch kind {
    case .kill:
      gateway.kill()
      time.after(length) { gateway.start() }
    case .end:
      gateway.end()
      time.after(length) { gateway.start() }
    case .stall: gateway.stall(for: length)
    case .cut, .silentCut:
      gateway.setReachable(false, isNoticed: kind == .cut)
      time.after(length) { gateway.setReachable(true, isNoticed: true) }
    case .restart, .forget: broker.restart(Int(chance.uniform(0..<2)), forgetting: kind == .forget)
    case .garbage:
      let nonsense = ["", "7", "{}", "{\"format\":\"ble-gateway/0\",\"owner\":\"attic\"}", "[[[[", "\u{0}"]
      broker.inject(topic, nonsense[Int(chance.uniform(0..<UInt64(nonsense.count)))])
    case .stale:
      // What was retained comes again after others have written there.
      guard let old = broker.retained(topic) else { return }
      time.after(length) { [self] in broker.inject(topic, old) }
    case .move:
      let width = Double(Int(Double(gateways.count).squareRoot().rounded(.up)) - 1) * plan.distance
      move(number, x: chance.unit() * width, y: chance.unit() * width)
    case .giveUp:
      gateway.want(devices[number].name, false)
      time.after(length) { [self] in gateway.want(devices[number].name, true) }
    case .split:
      broker.isSplit = true
      time.after(length) { [self] in broker.isSplit = false }
    }
  }
}
