import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("What is around devices")
struct SurroundingsTests {
  private func scanning(_ world: World, apart: Double) async -> MovingScene {
    let scene = MovingScene(world, apart: apart)
    scene.central.scanWhenPoweredOn(allowingDuplicates: true)
    await world.advance(by: .seconds(2))
    return scene
  }

  private func mean(_ values: [Int]) -> Double { Double(values.reduce(0, +)) / Double(max(1, values.count)) }

  @Test("I14.5 a wall of the world's plan weakens the signal, and is gone with the plan")
  func plan() async throws {
    let world = World(seed: 2)
    let scene = await scanning(world, apart: 4)
    let free = mean(await scene.signals(for: .seconds(10)))
    world.plan = try FloorPlan(walls: [Wall(from: Position(x: 2, y: -3), to: Position(x: 2, y: 3), .concrete)])
    let behind = mean(await scene.signals(for: .seconds(10)))
    scene.phone.move(to: Position(x: 0, y: 4))
    let beside = mean(await scene.signals(for: .seconds(10)))
    world.plan = nil
    scene.phone.move(to: Position(x: 4))
    let again = mean(await scene.signals(for: .seconds(10)))
    print("free \(free), behind concrete \(behind), beside \(beside)")
    #expect(abs(free - behind - WallMaterial.concrete.attenuation) < 1.5)
    #expect(abs(free - beside) < 1.5 && abs(free - again) < 1.5)
  }

  @Test("I14.5 a pocket takes 7 to 23 dB, changing as its owner turns; a hand 3 to 13; a table nothing")
  func carrying() async throws {
    let world = World(seed: 8)
    let scene = await scanning(world, apart: 2)
    let free = mean(await scene.signals(for: .seconds(30)))
    for carrying in [Carrying.inPocket, .inHand, .onTable] {
      scene.phone.carry(carrying)
      let levels = await scene.signals(for: .seconds(300))
      let losses = stride(from: 0, to: levels.count - 50, by: 50).map { free - mean(Array(levels[$0..<$0 + 50])) }
      let (least, most) = (try #require(losses.min()), try #require(losses.max()))
      print("\(carrying): \(least) to \(most) dB")
      #expect(least > carrying.loss - 1 && most < carrying.loss + carrying.shadow + 1)
      #expect((most - least > carrying.shadow * 0.3) == (carrying.shadow > 0) || carrying == .onTable)
      #expect(carrying == .onTable ? most - least < 1.5 : most - least > 2)
    }
  }

  @Test("I14.5 an app finds its lamp among 300 advertisers, and no member of the crowd can be connected to")
  func crowd() async throws {
    let world = World(seed: 9)
    let crowd = try world.makeCrowd(300)
    let scene = MovingScene(world, apart: 2)
    scene.central.scanWhenPoweredOn()
    await world.advance(by: .seconds(20))
    let seen = Set(scene.central.sightings.map(\.peripheral.identifier)).count
    print("\(seen) peripherals seen in 20 s; \(crowd.advertisementCount) advertisements")
    #expect(seen > 280 && crowd.count == 300 && crowd.advertisementCount > 15_000)
    #expect(scene.central.names.contains { $0.hasPrefix("Band ") })
    try await scene.connect()
    let stranger = try #require(
      scene.central.sightings.first {
        $0.name != "lamp" && $0.data[CBAdvertisementDataIsConnectable] as? NSNumber == 1
      }?.peripheral)
    scene.central.manager.connect(stranger)
    await world.advance(by: .seconds(20))
    #expect(stranger.state == .connecting)
    crowd.leave()
    await world.advance(by: .seconds(1))
    let before = crowd.advertisementCount
    await world.advance(by: .seconds(5))
    #expect(crowd.advertisementCount == before)
    #expect(throws: AirDescriptionError.self) { try world.makeCrowd(-1) }
  }

  @Test("I14.5 under Wi-Fi on all three usual channels a link holds and reads arrive, later than without")
  func interference() async throws {
    func duration(_ interference: [Interferer]) async throws -> Duration {
      let world = World(seed: 12)
      world.interference = interference
      let scene = MovingScene(world, apart: 3)
      try await scene.connect()
      let start = world.now
      for _ in 0..<30 {
        scene.central.read("FFE1")
        await world.settle()
      }
      #expect(
        scene.central.values.count == 30 && scene.central.events.allSatisfy { !"\($0)".hasPrefix("disconnected") })
      return world.now - start
    }
    let quiet = try await duration([])
    let busy = try await duration([1, 6, 11].map { try Interferer.wifi(channel: $0, load: 0.7) })
    print("30 reads: \(quiet) in quiet air, \(busy) under Wi-Fi")
    #expect(busy > quiet * 1.2)
  }

  @Test("I14.5 each of the usual interferers has a name, channels and an effect")
  func usual() {
    #expect(Set(Interferer.usual.map(\.name)).count == 4)
    #expect(Interferer.usual.allSatisfy { $0.channels != 0 && $0.position == nil })
  }
}
