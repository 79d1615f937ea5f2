#if canImport(BLETestKit)
  import BLETestKit
  import Foundation
  import Testing

  /// What Apple's system would refuse, ignore or punish.
  @Suite("Thermostat: rules of iOS", .keepsCapture)
  struct RulesTests {
    /// As the app's Info.plist says.
    private static let information = RuleSet.ApplicationInformation(
      usageDescription: "Sets your thermostat.", backgroundModes: ["bluetooth-central", "bluetooth-peripheral"])
    private static let suppressed = [RuleSet.Suppression(104, because: "the thermostats are no apps of a phone")]

    @Test(
      "I14.7 the app breaks no rule on a day with a walk, a nap in the background and a new process",
      arguments: [1, 2, 3] as [UInt64])
    func day(seed: UInt64) async throws {
      let world = World(seed: seed)
      world.rules = .iOS(18, suppressing: Self.suppressed, information: Self.information)
      let home = Home(in: world)
      await world.advance(by: .seconds(30))
      home.hallDevice.moveAway()
      await world.advance(by: .seconds(20))
      home.hallDevice.comeBack()
      await world.advance(by: .seconds(10))
      home.phone.terminateProcess()
      await world.advance(by: .seconds(60))
      #expect(world.brokenRules.isEmpty)
    }

    @Test("I14.7 a characteristic of a former link is a rule that the seeded bug breaks")
    func staleHandle() async throws {
      let world = World(seed: 4)
      await withKnownIssue {
        world.rules = .iOS(18, suppressing: Self.suppressed, information: Self.information)
        let home = Home(in: world, bug: .staleHandle)
        await world.advance(by: .seconds(30))
        home.hallDevice.moveAway()
        await world.advance(by: .seconds(20))
        home.hallDevice.comeBack()
        await world.advance(by: .seconds(30))
        withExtendedLifetime(home) {}
      }
      #expect(world.brokenRules.map(\.rule.number) == [43])
    }
  }
#endif
