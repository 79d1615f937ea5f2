import BLERules
import BLETestKit
import CoreBluetooth
import Synchronization
import TestSupport
import Testing

@Suite("A world's rules")
struct WorldRulesTests {
  /// The comments and lines of the issues that a body records.
  private func issues(_ body: () async throws -> Void) async rethrows -> [Issue] {
    let found = Mutex<[Issue]>([])
    try await withKnownIssue(isIntermittent: true) {
      try await body()
    } matching: { issue in
      found.withLock { $0.append(issue) }
      return true
    }
    return found.withLock { $0 }
  }

  @Test(
    "I14.B a rule that is suppressed twice, does not exist, or is suppressed without a reason, is an issue at that line"
  )
  func mistakes() async {
    let world = World()
    let line = #line + 2
    let found = await issues {
      world.rules = .iOS(
        18,
        suppressing: [
          .init(20, because: "it shows all devices"), .init(20, because: "twice"), .init(999, because: "unknown"),
          .init(41, because: " "),
        ])
    }
    #expect(
      found.flatMap(\.comments).map(\.rawValue) == [
        "rule 20 is suppressed twice", "rule 999 cannot be suppressed: there is no such rule",
        "rule 41 is suppressed without a reason: say why the program breaks it on purpose",
      ])
    #expect(found.allSatisfy { abs(($0.sourceLocation?.line ?? 0) - line) <= 1 })
    #expect(RuleSet.iOS(7).mistakes == ["there are no rules of iOS 7: the oldest is 13"])
    #expect(RuleSet.iOS(18, suppressing: [.init(20, because: "it shows all devices")]).mistakes.isEmpty)
  }

  @Test("I14.4 a suppressed rule is not reported")
  func suppressed() async {
    let world = World()
    world.rules = .iOS(18, suppressing: [.init(1, because: "it is the subject of the test")])
    let app = CentralApp(world.makeDevice("phone").options)
    app.manager.stopScan()
    await world.settle()
    #expect(world.brokenRules.isEmpty)
  }

  @Test("I14.4 a broken rule is an issue at the line of the rules, with number, device, time, source and remedy, once")
  func issue() async throws {
    let world = World()
    let line = #line + 1
    world.rules = .iOS(18)
    let app = CentralApp(world.makeDevice("phone").options)
    let found = await issues {
      app.manager.stopScan()
      app.manager.stopScan()
      await world.settle()
      app.manager.scanForPeripherals(withServices: [RuleBench.service])
      await world.settle()
    }
    #expect(found.count == 1)
    let issue = try #require(found.first)
    #expect(issue.sourceLocation?.line == line)
    let text = try #require(issue.comments.first?.rawValue)
    let rule = try #require(SystemRule.all.first { $0.number == 1 })
    for part in ["rule 1 (error)", "on phone", "after 0.000 s", "stopScan()", rule.source, rule.remedy] {
      #expect(text.contains(part))
    }
    #expect(world.brokenRules.map(\.rule.number) == [1])
  }

  @Test("I14.4 a world without rules judges nothing")
  func none() async {
    let world = World()
    let app = CentralApp(world.makeDevice("phone").options)
    app.manager.stopScan()
    await world.settle()
    #expect(world.brokenRules.isEmpty)
    #expect(world.rules == nil)
  }

  @Test("I14.4 in an explored world a broken rule of severity error is the failure, and a warning is none")
  func explored() async throws {
    let failure = await #expect(throws: ExplorationFailure.self) {
      try await World.explore(seeds: 3) { world in
        world.rules = .iOS(18)
        let app = CentralApp(world.makeDevice("phone").options)
        app.manager.stopScan()
        await world.settle()
      }
    }
    #expect(failure?.reason.hasPrefix("rule 1 (error) on phone") == true)
    try await World.explore(seeds: 3) { world in
      world.rules = .iOS(18)
      let app = CentralApp(world.makeDevice("phone").options)
      await world.settle()
      app.manager.scanForPeripherals(withServices: nil)
      await world.settle()
      #expect(world.brokenRules.map(\.rule.number) == [20])
    }
  }

  @Test("I14.4 the same seed breaks the same rules at the same times")
  func deterministic() async {
    func run() async -> [String] {
      let world = World(seed: 5)
      var found: [String] = []
      await withKnownIssue {
        world.rules = .iOS(18)
        let lamp = PeripheralApp(
          "a lamp with a long name", on: world.makeDevice("lamp"), services: [RuleBench.makeService()])
        let app = CentralApp(world.makeDevice("phone").options)
        let peripheral = try await app.meet(in: world)
        await peripheral.read(try peripheral.characteristic("FFF4"), in: world)
        await peripheral.notify(true, try peripheral.characteristic("FFF2"), in: world)
        found = world.brokenRules.map(\.description)
        withExtendedLifetime(lamp) {}
      }
      return found
    }
    let first = await run()
    #expect(first.count >= 4)
    #expect(await run() == first)
  }

  @Test(
    "I14.4 rules are read from text, and mistakes in it are named",
    arguments: [
      ("iOS18", nil), ("iOS18; 20 because it shows all devices ;", nil),
      ("Android14", "'Android14' is no system: expected iOS and its version, as in iOS18"),
      ("iOS18; 20", "'20' suppresses no rule: expected its number and a reason, as in '20 because ...'"),
      ("iOS18; 20 because a; 20 because b", "rule 20 is suppressed twice"),
      ("iOS18; 7777 because a", "rule 7777 cannot be suppressed: there is no such rule"),
      ("iOS18; 20 because", "rule 20 is suppressed without a reason: say why the program breaks it on purpose"),
      ("", "'' is no system: expected iOS and its version, as in iOS18"),
      (String(repeating: "x", count: 70_000), "the text is longer than 65536 octets"),
    ] as [(String, String?)])
  func text(_ text: String, _ mistake: String?) {
    var found: String?
    do throws(RuleSetError) {
      let set = try RuleSet(text)
      #expect(set.version == 18)
      #expect(set.suppressions.count == (text.contains("20") ? 1 : 0))
    } catch {
      found = error.description
    }
    #expect(found == mistake)
  }
}
