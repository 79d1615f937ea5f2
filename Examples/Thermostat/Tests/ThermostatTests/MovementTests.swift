#if canImport(BLETestKit)
  import BLETestKit
  import Testing
  import Thermostat

  /// The user walks about, and other places than an empty room.
  @Suite("Thermostat: movement", .keepsCapture)
  struct MovementTests {
    @Test("I14.7 the user walks out of the house and comes home: the link is lost on the way, and is there again")
    func walk() async throws {
      let world = World()
      let home = Home(in: world, hands: .still)
      try await world.wait(within: .seconds(20)) { home.isReady }
      try home.phone.walk(from: Position(x: 2), to: Position(x: 150), speed: 1.4)
      try await world.wait(within: .seconds(120)) { !home.isReady }
      #expect(home.phone.position.x > 20)
      home.app.current.setTarget(2_300)
      await world.advance(by: .seconds(120))
      try home.phone.walk(from: Position(x: 150), to: Position(x: 2), speed: 1.4)
      try await world.wait(within: .seconds(120)) { home.hall.target == 2_300 && home.isReady }
    }

    @Test("I14.7 an update arrives in each kind of place", arguments: WorldSetting.all)
    func places(_ setting: WorldSetting) async throws {
      let world = World(seed: 5, setting: setting)
      let home = Home(in: world, hands: .still)
      try await world.wait(within: .seconds(120)) { home.isReady }
      home.app.current.session.install(People.image)
      try await world.wait(within: .seconds(300)) { home.hall.store.firmware == People.image }
    }
  }
#endif
