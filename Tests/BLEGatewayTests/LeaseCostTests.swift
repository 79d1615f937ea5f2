import BLECore
import BLEGateway
import Foundation
import Measurements
import Testing

/// What leases cost. `BLE_GATEWAY_COST=1,10,100,1000` prints the rows of the table in `Docs/gateway-leases.md` for so many gateways.
@Suite("The cost of leases", .serialized)
struct LeaseCostTests {
  /// For a second of virtual time.
  private struct Rate {
    var published = 0.0, delivered = 0.0, octets = 0.0
    var held = 0, devices = 0
    var computed = Duration.zero
    var memory = 0
  }

  private func plan(gateways: Int, devicesEach: Int) -> SimulatedFleet.Plan {
    var plan = SimulatedFleet.Plan()
    (plan.gateways, plan.devices) = (gateways, gateways * devicesEach)
    // Each device is heard by about five gateways.
    (plan.distance, plan.floor, plan.sociable) = (25, -78, 1)
    plan.rules.mostHeld = 256
    return plan
  }

  /// A fleet that has found its devices: its messages in `seconds` of quiet.
  private func measure(_ plan: SimulatedFleet.Plan, seconds: Int) -> Rate {
    let before = Allocations.live
    let fleet = SimulatedFleet(seed: 1, plan: plan)
    fleet.isQuiet = true
    fleet.broker.repetitions = 0
    fleet.start()
    fleet.time.run(until: .seconds(40))
    let start = (fleet.broker.published, fleet.broker.delivered, fleet.broker.octets)
    let computed = ComputedTime.of { fleet.time.run(until: .seconds(40 + seconds)) }
    var rate = Rate()
    rate.published = Double(fleet.broker.published - start.0) / Double(seconds)
    rate.delivered = Double(fleet.broker.delivered - start.1) / Double(seconds)
    rate.octets = Double(fleet.broker.octets - start.2) / Double(seconds)
    rate.computed = computed / seconds
    rate.held = fleet.gateways.reduce(0) { $0 + ($1.keeper?.held.count ?? 0) }
    rate.devices = plan.devices
    rate.memory = Allocations.live - before
    return rate
  }

  @Test("I17.6 the messages of leases do not depend on the number of devices, but for one refresh a minute and device")
  func messages() {
    let few = measure(plan(gateways: 9, devicesEach: 4), seconds: 60)
    let many = measure(plan(gateways: 9, devicesEach: 24), seconds: 60)
    #expect(few.held >= 32 && many.held >= 200)
    #expect(few.published < 9 * 1.3 && many.published - few.published < Double(many.devices) / 30)
  }

  /// One keeper among eight neighbours, in one second: 100 devices of its own, 400 of others.
  @Test("I17.6 a second of a gateway with 100 devices, among eight others, takes a small part of a second")
  func keeper() throws {
    var rules = LeaseRules()
    rules.mostHeld = 256
    let scene = KeeperScene(rules)
    for number in 0..<100 { scene.hear("own-\(number)", -60) }
    scene.pass(.seconds(1))
    scene.comeBack()
    scene.pass(.milliseconds(250))
    for number in 0..<100 { scene.keeper.opened("own-\(number)", epoch: 1, subscriptions: [], at: scene.now) }
    scene.take()
    let others = (0..<8).map { scene.instance("neighbour-\($0)") }
    for number in 0..<400 {
      scene.hear("other-\(number)", -75)
      scene.receive(
        .lease(
          Lease(
            device: "other-\(number)", holder: others[number % 8], epoch: 1, phase: .held, expires: .seconds(3),
            strength: -60)))
    }
    #expect(scene.keeper.held.count == 100)
    var pulses = 0
    let seconds = 20
    let computed = try ComputedTime.of {
      for _ in 0..<seconds {
        pulses += 1
        for other in others {
          let pulse = LeaseMessage.pulse(GatewayPulse(sender: other, number: pulses))
          scene.receive(try LeaseMessage(pulse.payload.utf8, on: pulse.topic))
        }
        for number in 0..<100 { scene.hear("own-\(number)", -60) }
        for number in 0..<400 { scene.hear("other-\(number)", -75) }
        scene.pass(.seconds(1))
      }
    }
    print("a keeper's second: \(computed / seconds), of which 500 measurements, 8 pulses")
    #expect(scene.keeper.held.count == 100 && computed / seconds < .milliseconds(100))
  }

  @Test(
    "I17.6 a fleet of many gateways and 100 devices each finds its devices and keeps them",
    .enabled(if: ProcessInfo.processInfo.environment["BLE_GATEWAY_COST"] != nil))
  func fleet() {
    let sizes = (ProcessInfo.processInfo.environment["BLE_GATEWAY_COST"] ?? "").split(separator: ",").compactMap {
      Int($0)
    }
    for size in sizes {
      let rate = measure(plan(gateways: size, devicesEach: 100), seconds: 60)
      func round(_ number: Double) -> String { String(Int(number.rounded())) }
      print(
        "| \(size) | \(rate.devices) | \(rate.held) | \(round(rate.published)) | \(round(rate.delivered)) | "
          + "\(round(rate.octets / 1_000)) | \(rate.computed) | \(rate.memory / 1_000_000) |")
      #expect(rate.held * 100 >= rate.devices * 98)
    }
  }
}
