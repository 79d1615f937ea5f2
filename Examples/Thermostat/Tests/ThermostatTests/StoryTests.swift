#if canImport(BLETestKit)
  import BLETestKit
  import CoreBluetooth
  import Foundation
  import Testing
  import Thermostat

  /// One story each, from one program to the other over the whole stack, in virtual time.
  @Suite("Thermostat: stories", .keepsCapture)
  struct StoryTests {
    /// A home whose app is ready.
    private func readyHome(in world: World) async throws -> Home {
      let home = Home(in: world, hands: .still)
      try await world.wait(within: .seconds(20)) { home.isReady }
      return home
    }

    @Test("I14.7 the app shows what is measured, and what is set at the knob")
    func values() async throws {
      let world = World()
      let home = try await readyHome(in: world)
      await world.advance(by: .seconds(60))
      #expect(home.app.current.session.temperature == home.hall.measured)
      home.hall.turnKnob(to: 2_350)
      await world.settle()
      #expect(home.app.current.session.target == 2_350)
    }

    @Test("I14.7 a thermostat that comes back after an hour is connected to and subscribed to again")
    func comesBack() async throws {
      let world = World()
      let home = try await readyHome(in: world)
      home.hallDevice.moveAway()
      await world.advance(by: .seconds(3_600))
      #expect(home.app.current.session.phase == .connecting)
      home.hallDevice.comeBack()
      try await world.wait(within: .seconds(10)) { home.isReady }
      home.hall.turnKnob(to: 1_600)
      await world.settle()
      #expect(home.app.current.session.target == 1_600)
    }

    @Test("I14.7 of targets that are set while there is no link the last one counts")
    func waitingTarget() async throws {
      let world = World()
      let home = try await readyHome(in: world)
      home.hallDevice.cutPower()
      try await world.wait(within: .seconds(60)) { !home.isReady }
      for hundredths in [1_800, 1_900, 2_200] { home.app.current.setTarget(Int16(hundredths)) }
      await world.advance(by: .seconds(100))
      #expect(home.app.current.session.waitingRequests == 1 && home.hall.target == 2_000)
      home.hallDevice.restorePower()
      try await world.wait(within: .seconds(30)) { home.app.current.openRequests == 0 }
      #expect(home.hall.target == 2_200 && home.app.current.complaints.isEmpty)
    }

    @Test("I14.7 a lock that needs a pairing pairs once, and holds against the knob")
    func childLock() async throws {
      let world = World()
      let home = try await readyHome(in: world)
      #expect(home.phone.bonds.isEmpty)
      home.app.current.setChildLock(true)
      try await world.wait(within: .seconds(30)) { home.hall.isLocked && home.app.current.openRequests == 0 }
      #expect(home.phone.bonds.count == 1 && home.app.current.complaints.isEmpty)
      home.hall.turnKnob(to: 2_500)
      await world.settle()
      #expect(home.hall.target == 2_000)
    }

    @Test("I14.7 a user who refuses the pairing sees that the lock was refused")
    func refusedPairing() async throws {
      let world = World()
      let home = try await readyHome(in: world)
      home.phone.setPairingAgent(RefusingUser())
      home.app.current.setChildLock(true)
      await world.advance(by: .seconds(60))
      #expect(!home.hall.isLocked && home.app.current.openRequests == 0)
      #expect(home.app.current.unpairedLocks == 1 && home.isReady)
    }

    /// What may interrupt a pairing.
    enum Interruption: CaseIterable {
      case thermostatIsSwitchedOff, phoneIsSwitchedOff, processIsTerminated, thermostatIsReset
    }

    @Test(
      "I14.7 a pairing that is interrupted at any moment leaves no keys that only one side has",
      arguments: Interruption.allCases)
    func interruptedPairing(_ interruption: Interruption) async throws {
      for milliseconds in stride(from: 0, through: 320, by: 8) {
        let world = World(seed: 77)
        let home = try await readyHome(in: world)
        home.app.current.setChildLock(true)
        await world.advance(by: .milliseconds(milliseconds))
        switch interruption {
        case .thermostatIsSwitchedOff: home.hallDevice.powerOff()
        case .phoneIsSwitchedOff: home.phone.powerOff()
        case .processIsTerminated: home.phone.terminateProcess()
        case .thermostatIsReset: home.hallDevice.resetController()
        }
        await world.advance(by: .seconds(2))
        home.hallDevice.powerOn()
        home.phone.powerOn()
        // After a pairing that was interrupted the system lets some time pass.
        await world.advance(by: .seconds(30))
        #expect(home.isReady)
        home.app.current.setChildLock(true)
        try await world.wait(within: .seconds(60)) { home.app.current.openRequests == 0 }
        #expect(home.hall.isLocked && home.app.current.complaints.isEmpty, "after \(milliseconds) ms")
      }
    }

    @Test("I14.7 an update that is interrupted continues where it was confirmed, also in the next process of the app")
    func update() async throws {
      let world = World()
      let home = try await readyHome(in: world)
      home.app.current.session.install(People.image)
      try await world.wait(within: .seconds(10)) { home.hall.store.stored.count == 480 }
      home.phone.terminateProcess()
      await world.advance(by: .seconds(1))
      #expect(home.hall.store.stored.count >= 480 || !home.hall.store.firmware.isEmpty)
      try await world.wait(within: .seconds(60)) { home.hall.store.firmware == People.image }
      try await world.wait(within: .seconds(10)) { home.memory.pendingImage == nil }
      #expect(home.app.launches == 2)
    }
  }

  private final class RefusingUser: PairingAgent {
    let capability = PairingCapability.displayYesNo
    func pairing(_ request: PairingRequest) { request.refuse() }
  }
#endif
