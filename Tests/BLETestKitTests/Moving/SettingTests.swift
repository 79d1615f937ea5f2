import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("Settings")
struct SettingTests {
  @Test("I14.5 in every setting with a name an app finds, connects and reads", arguments: WorldSetting.all)
  func works(setting: WorldSetting) async throws {
    let world = World(seed: 21, setting: setting)
    let scene = MovingScene(world)
    try await scene.connect(within: .seconds(120))
    for _ in 0..<5 {
      scene.central.read("FFE1")
      await world.advance(by: .seconds(3))
    }
    #expect(scene.central.values.count >= 4)
    #expect(scene.lamp.position == setting.places[0].position && scene.phone.position == setting.places[1].position)
    scene.central.reactions["rssi"] = { print("\(setting.name): \(scene.central.events.last.map { "\($0)" } ?? "")") }
    scene.central.peripheral?.readRSSI()
    await world.advance(by: .seconds(3))
  }

  @Test("I14.5 the same seed in the same setting is the same run, octet for octet", arguments: WorldSetting.all)
  func determinism(setting: WorldSetting) async throws {
    func capture(_ seed: UInt64) async -> [UInt8] {
      let world = World(seed: seed, setting: setting)
      let scene = MovingScene(world)
      scene.central.seek("lamp")
      await world.advance(by: .seconds(8))
      return world.capture
    }
    let (first, second, other) = (await capture(5), await capture(5), await capture(6))
    #expect(first == second && first != other)
  }

  @Test("I14.5 a setting can be entered and left while devices are there; given positions stay")
  func changing() async throws {
    let world = World(seed: 22)
    let scene = MovingScene(world)
    let other = world.makeDevice("other", at: Position(x: 9))
    world.setting = .trainStation
    await world.advance(by: .seconds(1))
    #expect(scene.phone.position == Position(x: 4) && other.position == Position(x: 9))
    #expect(world.interference.count == 3 && world.plan == nil)
    scene.central.scanWhenPoweredOn(allowingDuplicates: true)
    await world.advance(by: .seconds(5))
    #expect(Set(scene.central.sightings.map(\.peripheral.identifier)).count > 100)
    world.setting = .nextRoom
    await world.advance(by: .seconds(1))
    #expect(world.plan?.walls.count == 1 && scene.phone.position == Position(x: 5))
    scene.central.sightings = []
    await world.advance(by: .seconds(5))
    #expect(Set(scene.central.sightings.map(\.peripheral.identifier)).count == 1)
    world.setting = nil
    #expect(world.plan == nil && world.interference.isEmpty && world.setting == nil)
    #expect(Set(WorldSetting.all.map(\.name)).count == WorldSetting.all.count)
  }

  @Test("I14.5 the next process's controller shares the radio of the one before")
  func processes() async throws {
    let world = World(seed: 23, setting: .sameDesk)
    let scene = MovingScene(world)
    try await scene.connect()
    scene.phone.terminateProcess()
    let next = CentralApp(scene.phone.options)
    next.seek("lamp")
    try await world.wait(within: .seconds(30)) { next.isWalked }
  }

  @Test("I14.B mistakes in a setting of one's own are refused")
  func mistakes() throws {
    #expect(throws: AirDescriptionError.self) { try WorldSetting(name: "mine", exponent: .nan) }
    #expect(throws: AirDescriptionError.self) { try WorldSetting(name: "mine", exponent: 2, shadowing: -1) }
    #expect(throws: AirDescriptionError.self) { try WorldSetting(name: "mine", exponent: 2, crowd: -1) }
    #expect(throws: AirDescriptionError.self) {
      try WorldSetting(name: "mine", exponent: 2, places: [.init(Position(x: .nan))])
    }
    #expect(throws: AirDescriptionError.self) {
      try WorldSetting(name: "mine", exponent: 2, walls: [Wall(from: .origin, to: .origin, .brick)])
    }
    #expect(try WorldSetting(name: "mine", exponent: 2).places.isEmpty)
  }
}
