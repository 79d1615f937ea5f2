import BLECore
import BLEGateway

/// What has to hold in a simulated fleet. Each violation is a sentence.
final class FleetChecks {
  private(set) var violations: [String] = []
  private var order = ValueOrder()
  private var accepted: [String: [SimulatedValue]] = [:]
  private var stamps: [String: Set<ValueStamp>] = [:]
  private var arrived: [String: Set<ValueStamp>] = [:]
  private(set) var (values, repeated, late) = (0, 0, 0)
  /// Since when a device has had two holders.
  private var doubledSince: [String: Duration] = [:]

  /// A consumer of all values.
  func listen(to fleet: SimulatedFleet) {
    fleet.broker.consumer = { [unowned self] topic, payload in take(topic, payload) }
  }

  /// A gateway has taken a value.
  func accepted(_ value: SimulatedValue) {
    values += 1
    accepted[value.device, default: []].append(value)
    if !stamps[value.device, default: []].insert(value.stamp).inserted {
      violations.append("two values of \(value.device) have the stamp \(value.stamp)")
    }
  }

  private func take(_ topic: String, _ payload: String) {
    let parts = payload.split(separator: " ")
    let holder = parts.count == 4 ? parts[1].split(separator: "/").map(String.init) : []
    guard holder.count == 2, let epoch = Int(parts[0]), let sequence = Int(parts[2]),
      let instance = GatewayInstance(gateway: holder[0], instance: holder[1])
    else { return violations.append("an unknown value: \(payload)") }
    let device = String(topic.dropFirst("value/".count))
    let stamp = ValueStamp(epoch: epoch, holder: instance, sequence: sequence)
    let isNew = arrived[device, default: []].insert(stamp).inserted
    switch order.take(stamp, of: device) {
    case .repeated:
      repeated += 1
      if isNew { violations.append("the new value \(stamp) of \(device) counts as repeated") }
    case .forgotten: break
    case .late: late += 1; fallthrough
    case .next, .ahead:
      if !isNew { violations.append("the repeated value \(stamp) of \(device) counts as new") }
    }
  }

  /// All that was taken has arrived, once each; nothing is missing.
  func checkValues(of fleet: SimulatedFleet) {
    for device in fleet.devices {
      let taken = stamps[device.name] ?? []
      let lost = taken.subtracting(arrived[device.name] ?? [])
      if let first = lost.min() {
        violations.append("\(lost.count) values of \(device.name) are lost, such as \(first)")
      }
      if order.missing(of: device.name) != 0 { violations.append("a consumer misses values of \(device.name)") }
    }
  }

  /// The order of the stamps is that in which the device has said the values.
  /// - Parameter isWhole: the network was never split: this holds across holders too.
  func checkOrder(of fleet: SimulatedFleet, isWhole: Bool) {
    for device in fleet.devices {
      let sorted = (accepted[device.name] ?? []).sorted { $0.stamp < $1.stamp }
      for (before, after) in zip(sorted, sorted.dropFirst()) where before.said > after.said {
        if isWhole || before.stamp.holder == after.stamp.holder {
          violations.append("\(device.name): \(before.stamp) was said after \(after.stamp)")
        }
      }
    }
  }

  /// No device has two holders for longer than `tolerance`.
  func checkHolders(of fleet: SimulatedFleet, tolerance: Duration) {
    for device in fleet.devices {
      let holders = fleet.holders(of: device)
      guard holders.count > 1 else {
        doubledSince[device.name] = nil
        continue
      }
      let since = doubledSince[device.name] ?? fleet.time.now
      doubledSince[device.name] = since
      guard fleet.time.now - since > tolerance else { continue }
      doubledSince[device.name] = fleet.time.now
      violations.append(
        "\(fleet.time.now): \(device.name) is held by \(holders.map(\.name).joined(separator: " and "))")
    }
  }

  func forgetHolders() { doubledSince = [:] }

  /// Each device that is heard well has one holder, and all that hear it agree who that is. A device that is just being handed over is
  /// looked at again.
  func checkConverged(_ fleet: SimulatedFleet) {
    var found: [String] = []
    for _ in 0..<4 {
      found = fleet.devices.compactMap { disagreement(about: $0, fleet) }
      if found.isEmpty { return }
      fleet.time.run(until: fleet.time.now + .seconds(2))
    }
    violations += found
  }

  private func disagreement(about device: SimulatedDevice, _ fleet: SimulatedFleet) -> String? {
    let audience = fleet.audience(of: device)
    let holders = fleet.holders(of: device)
    if holders.count > 1 || holders.isEmpty && !audience.isEmpty {
      let names = holders.map(\.name).joined(separator: " and ")
      return "\(device.name) is held by \(names.isEmpty ? "no gateway" : names) in the end"
    }
    let believed = Set(audience.compactMap { $0.keeper?.lease(of: device.name)?.holder })
    return believed.count > 1 ? "\(device.name): gateways disagree on the holder: \(believed.sorted())" : nil
  }
}
