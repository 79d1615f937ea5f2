#if canImport(BLETestKit)
  import BLETestKit
  import Testing
  import Thermostat

  /// A thermostat that misbehaves, on an air without any loss.
  @Suite("Thermostat: faults", .keepsCapture)
  struct FaultTests {
    private static let target = BLEUUID(high: 0x3F1A_0003_6C0D_4B52, low: 0x9E7E_5D2C_8B1A_7F40)
    private static let control = BLEUUID(high: 0x3F1A_0005_6C0D_4B52, low: 0x9E7E_5D2C_8B1A_7F40)
    private static let data = BLEUUID(high: 0x3F1A_0006_6C0D_4B52, low: 0x9E7E_5D2C_8B1A_7F40)

    private func readyHome(in world: World) async throws -> Home {
      let home = Home(in: world, hands: .still)
      try await world.wait(within: .seconds(20)) { home.isReady }
      return home
    }

    @Test("I14.7 a target that is taken but not answered times out after ten seconds, and a new link shows it")
    func noAnswer() async throws {
      let world = World()
      let home = try await readyHome(in: world)
      home.hallDevice.setFaults([.at(.write(.characteristic(Self.target)), .noAnswer)])
      home.app.current.setTarget(2_400)
      await world.advance(by: .seconds(9))
      #expect(home.hall.target == 2_400 && home.app.current.openRequests == 1)
      try await world.wait(within: .seconds(30)) { home.app.current.openRequests == 0 && home.isReady }
      await world.settle()
      #expect(home.app.current.session.target == 2_400 && home.app.current.complaints.isEmpty)
      #expect(world.faultsStruck.count == 1)
    }

    @Test("I14.7 a refusal is reported, and the next request is carried out")
    func refusal() async throws {
      let world = World()
      let home = try await readyHome(in: world)
      home.hallDevice.setFaults([.at(.write(.characteristic(Self.target)), .error(.unlikelyError))])
      home.app.current.setTarget(2_400)
      home.app.current.setTarget(2_500)
      try await world.wait(within: .seconds(10)) { home.app.current.openRequests == 0 }
      #expect(home.app.current.complaints == ["a request was refused with 14"] && home.hall.target == 2_500)
    }

    @Test(
      "I14.7 a fragment of an update that is lost, damaged, repeated or swapped costs time, and the image arrives",
      arguments: [FaultAction.drop, .flip(octet: 3, mask: 0x10), .repeated(1), .swapWithNext, .cut(to: 5)])
    func damagedUpdate(_ action: FaultAction) async throws {
      let world = World()
      let home = try await readyHome(in: world)
      home.hallDevice.setFaults([.at(.writeWithoutResponse(.characteristic(Self.data)), .nth(5), action)])
      home.app.current.session.install(People.image)
      try await world.wait(within: .seconds(30)) { home.hall.store.firmware == People.image }
      try await world.wait(within: .seconds(10)) { home.memory.pendingImage == nil }
      #expect(world.faultsStruck.count == 1)
    }

    @Test("I14.7 an answer that is late, so that the question is asked again, does not make blocks be sent twice")
    func lateAnswer() async throws {
      let world = World()
      let home = try await readyHome(in: world)
      home.hallDevice.setFaults([.at(.notification(.characteristic(Self.control)), .delay(.seconds(6)))])
      home.app.current.session.install(People.image)
      try await world.wait(within: .seconds(30)) { home.hall.store.firmware == People.image }
      // 22 fragments and two questions.
      #expect(home.hall.writes == 24)
    }

    @Test("I14.7 whatever a correct device may do, the app comes through a day", arguments: correctFaults)
    func day(_ fault: Fault) async throws {
      let world = World(seed: 14)
      let home = Home(in: world)
      home.hallDevice.setFaults([fault])
      home.stateConditions(in: world)
      await world.advance(by: .seconds(200))
    }

    /// Without keys that are lost: for these the user is needed. Without refusals, which are reported.
    static let correctFaults = Fault.known.filter {
      $0.origin == .correctDevice && $0.action.kind != .forgetBond && $0.action.kind != .error
    }
  }
#endif
