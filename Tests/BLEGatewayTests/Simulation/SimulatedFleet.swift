import BLECore
import BLEGateway

/// Gateways and devices on a plane, with a broker, in virtual time. One seed is one run.
final class SimulatedFleet {
  struct Plan {
    var gateways = 4
    var devices = 6
    /// Metres between neighbours on a grid.
    var distance = 8.0
    var rules = LeaseRules()
    /// How often a device advertises, or says a value, in seconds.
    var interval = 1.0
    /// The share of devices that advertise while they have a link, and accept another.
    var sociable = 0.3
    /// Whether gateways connect to both nodes of the broker.
    var isCluster = false
    /// Whether the first two gateways have the same name.
    var isDoubled = false
    /// By how many seconds the time of day may be wrong, either way.
    var wrongness = 600
    /// How fast clocks run differently, at most.
    var drift = 0.002
    /// Devices are heard down to here, in dBm.
    var floor = -85.0
  }

  let seed: UInt64
  let plan: Plan
  let time = SimulatedTime()
  let chance: SeededEntropy
  let broker: SimulatedBroker
  private(set) var gateways: [SimulatedGateway] = []
  private(set) var devices: [SimulatedDevice] = []
  private var byName: [String: SimulatedDevice] = [:]
  let checks = FleetChecks()
  var (received, wakes) = (0, 0)
  /// Devices say no values any more.
  var isQuiet = false
  /// Gateways that may hear a device, by the device's place.
  private var nearby: [[SimulatedGateway]] = []

  init(seed: UInt64, plan: Plan = Plan()) {
    self.seed = seed
    self.plan = plan
    chance = SeededEntropy(seed: seed)
    broker = SimulatedBroker(time: time, chance: chance.fork(1), nodes: plan.isCluster ? 2 : 1)
    let side = Int(Double(plan.gateways).squareRoot().rounded(.up))
    for number in 0..<plan.gateways {
      gateways.append(
        SimulatedGateway(
          number: number, name: plan.isDoubled && number == 1 ? "gateway-0" : "gateway-\(number)",
          x: Double(number % side) * plan.distance, y: Double(number / side) * plan.distance,
          node: plan.isCluster ? number % 2 : 0, offset: .seconds(Int64(chance.uniform(0..<1_000_000))),
          rate: (chance.unit() * 2 - 1) * plan.drift, rules: plan.rules, in: self))
    }
    let width = Double(side - 1) * plan.distance
    for number in 0..<plan.devices {
      let device = SimulatedDevice(
        name: "device-\(number)", x: chance.unit() * width, y: chance.unit() * width,
        isSociable: chance.unit() < plan.sociable)
      devices.append(device)
      byName[device.name] = device
      nearby.append([])
      findNeighbours(number)
    }
    checks.listen(to: self)
  }

  func device(_ name: String) -> SimulatedDevice? { byName[name] }

  private func findNeighbours(_ number: Int) {
    nearby[number] = gateways.filter { devices[number].strength(at: $0) > plan.floor - 6 }
  }

  func start() {
    for gateway in gateways {
      time.after(.fraction(chance.unit() * 2)) { gateway.start() }
    }
    for number in devices.indices { time.after(.fraction(chance.unit() * plan.interval)) { [self] in air(number) } }
  }

  /// A device advertises, or says a value.
  private func air(_ number: Int) {
    let device = devices[number]
    time.after(.fraction(plan.interval * (0.9 + chance.unit() * 0.2))) { [self] in air(number) }
    device.links.removeAll { link in
      let gateway = gateways[link.gateway]
      guard device.strength(at: gateway) < -95 else { return false }
      if gateway.life == link.life { gateway.linkBroke(device) }
      return true
    }
    if !device.links.isEmpty, !isQuiet {
      device.said += 1
      for link in device.links where gateways[link.gateway].life == link.life { gateways[link.gateway].says(device) }
    }
    for gateway in nearby[number] {
      guard device.acceptsLink || device.links.contains(where: { $0.gateway == gateway.number }) else { continue }
      let strength = device.strength(at: gateway) + (chance.unit() + chance.unit() - 1) * 4
      if strength > plan.floor { gateway.hears(device, Int(strength.rounded())) }
    }
  }

  /// A device is carried elsewhere.
  func move(_ number: Int, x: Double, y: Double) {
    (devices[number].x, devices[number].y) = (x, y)
    findNeighbours(number)
  }

  /// The gateways that hold a device as they believe.
  func holders(of device: SimulatedDevice) -> [SimulatedGateway] {
    gateways.filter { $0.keeper?.epoch(of: device.name) != nil }
  }

  /// The gateways that hear a device well.
  func audience(of device: SimulatedDevice) -> [SimulatedGateway] {
    gateways.filter { gateway in
      guard let keeper = gateway.keeper, !keeper.isYielding else { return false }
      return device.strength(at: gateway) > plan.floor + 5
    }
  }
}
