import BLECore
import BLEGateway
import Foundation
import Testing

/// Fleets in virtual time, with what goes wrong drawn from a seed. `BLE_GATEWAY_FLEETS` is how many seeds are tried for each; a seed that
/// fails is part of the message, and `BLE_GATEWAY_SEED` tries it alone.
@Suite("Leases in a simulated fleet")
struct LeaseSimulationTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let seeds: [UInt64] =
    if let one = environment["BLE_GATEWAY_SEED"].flatMap(UInt64.init) { [one] } else {
      Array(1...(environment["BLE_GATEWAY_FLEETS"].flatMap(UInt64.init) ?? 12))
    }

  /// Runs a fleet until its faults are over, then for `rest` more; looks twice a second.
  private func run(
    _ fleet: SimulatedFleet, until end: Duration, rest: Duration, tolerance: Duration?
  ) {
    fleet.start()
    while fleet.time.now < end {
      fleet.time.run(until: fleet.time.now + .milliseconds(500))
      if let tolerance { fleet.checks.checkHolders(of: fleet, tolerance: tolerance) }
    }
    fleet.time.run(until: end + rest)
    fleet.checks.forgetHolders()
    for _ in 0..<20 {
      fleet.time.run(until: fleet.time.now + .milliseconds(500))
      fleet.checks.checkHolders(of: fleet, tolerance: .seconds(1))
    }
    fleet.checks.checkConverged(fleet)
    checkValues(fleet)
  }

  private func checkValues(_ fleet: SimulatedFleet) {
    fleet.isQuiet = true
    fleet.time.run(until: fleet.time.now + .seconds(3))
    fleet.checks.checkValues(of: fleet)
  }

  private func expectNone(_ fleet: SimulatedFleet) {
    #expect(
      fleet.checks.violations.isEmpty,
      "seed \(fleet.seed): \(fleet.checks.violations.prefix(5).joined(separator: "; "))")
  }

  @Test(
    "I17.3 in one network a device never has two holders, whatever dies and whatever stands on its topic",
    arguments: seeds)
  func whole(seed: UInt64) {
    var plan = SimulatedFleet.Plan()
    // Where a topic is wiped while no gateway is there that knows its lease, epochs begin with the time of day.
    plan.wrongness = 0
    let fleet = SimulatedFleet(seed: seed, plan: plan)
    let end = fleet.disturb(10, among: FleetFault.whole)
    // A holder that is superseded hears of it a moment later.
    run(fleet, until: end, rest: .seconds(20), tolerance: .milliseconds(500))
    fleet.checks.checkOrder(of: fleet, isWhole: true)
    #expect(fleet.checks.values > 100)
    expectNone(fleet)
  }

  @Test(
    "I17.3 after splits, silent cuts, stalls and a broker that forgets, each device has one holder again",
    arguments: seeds)
  func split(seed: UInt64) {
    var plan = SimulatedFleet.Plan()
    plan.sociable = 0.5
    let fleet = SimulatedFleet(seed: seed, plan: plan)
    let end = fleet.disturb(10, among: FleetFault.allCases.filter { $0 != .split })
    run(fleet, until: end, rest: .seconds(20), tolerance: nil)
    fleet.checks.checkOrder(of: fleet, isWhole: false)
    expectNone(fleet)
  }

  @Test("I17.3 a cluster of brokers that was split ends with one holder of each device", arguments: seeds)
  func cluster(seed: UInt64) {
    var plan = SimulatedFleet.Plan()
    (plan.isCluster, plan.sociable) = (true, 0.7)
    let fleet = SimulatedFleet(seed: seed, plan: plan)
    let end = fleet.disturb(8, among: [.split, .split, .kill, .cut, .forget, .move])
    // Nodes exchange what is published, and not what they have retained: the rest comes with the next refresh.
    run(fleet, until: end, rest: .seconds(80), tolerance: nil)
    fleet.checks.checkOrder(of: fleet, isWhole: false)
    expectNone(fleet)
  }

  @Test("I17.3 of two gateways with one name only one keeps devices", arguments: seeds)
  func doubled(seed: UInt64) {
    var plan = SimulatedFleet.Plan()
    plan.isDoubled = true
    let fleet = SimulatedFleet(seed: seed, plan: plan)
    fleet.start()
    fleet.time.run(until: .seconds(30))
    fleet.checks.checkConverged(fleet)
    let keepers = fleet.gateways.prefix(2).compactMap(\.keeper)
    #expect(keepers.count { $0.held.isEmpty } >= 1)
    let reports = fleet.gateways.prefix(2).flatMap(\.reports)
    #expect(reports.contains { if case .nameTaken = $0 { true } else { false } })
    expectNone(fleet)
  }

  @Test("I17.3 a device is held again within 5 s after its holder has fallen silent", arguments: seeds)
  func takeover(seed: UInt64) {
    var plan = SimulatedFleet.Plan()
    // Others hear the device while it is held, and may connect as soon as the old link has ended.
    plan.sociable = 1
    let fleet = SimulatedFleet(seed: seed, plan: plan)
    fleet.start()
    fleet.time.run(until: .seconds(20))
    let victim = fleet.gateways.max { ($0.keeper?.held.count ?? 0) < ($1.keeper?.held.count ?? 0) }
    let held = victim?.keeper?.held ?? []
    #expect(!held.isEmpty)
    let silence = fleet.time.now
    victim?.kill()
    fleet.time.run(until: silence + .seconds(6))
    for name in held {
      guard let device = fleet.device(name), !fleet.audience(of: device).isEmpty else { continue }
      let times = fleet.gateways.filter { $0.keeper != nil }.compactMap { $0.heldSince[name] }
      let taken = times.first.map { $0 - silence }
      #expect(
        taken.map { $0 <= .seconds(5) } ?? false, "seed \(seed): \(name) after \(taken.map { "\($0)" } ?? "never")")
    }
    expectNone(fleet)
  }

  @Test("I17.3 a device that is carried to another gateway is handed over without losing a value", arguments: seeds)
  func handover(seed: UInt64) throws {
    var plan = SimulatedFleet.Plan()
    (plan.gateways, plan.devices, plan.distance, plan.sociable) = (2, 1, 20, 1)
    let fleet = SimulatedFleet(seed: seed, plan: plan)
    fleet.move(0, x: 1, y: 0)
    fleet.start()
    fleet.time.run(until: .seconds(40))
    let device = try #require(fleet.devices.first)
    #expect(fleet.holders(of: device).map(\.number) == [0])
    for step in 1...18 {
      fleet.move(0, x: Double(step) + 1, y: 0)
      fleet.time.run(until: fleet.time.now + .seconds(2))
    }
    fleet.time.run(until: fleet.time.now + .seconds(20))
    #expect(fleet.holders(of: device).map(\.number) == [1])
    checkValues(fleet)
    fleet.checks.checkOrder(of: fleet, isWhole: true)
    expectNone(fleet)
    let ends = fleet.gateways[0].reports.filter { if case .ended(_, _, .handedOver) = $0 { true } else { false } }
    #expect(ends.count == 1)
  }
}
