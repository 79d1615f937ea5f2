import BLETestKit
import CoreBluetooth
import Foundation
import Synchronization
import Testing

/// Thousands of worlds: what is drawn, what is found, and what is reported.
@Suite("Explorations")
struct ExplorationTests {
  private static func stayingSubscribed(_ world: World, _ mistake: ExploredApp.Mistake?) async throws {
    let lamp = world.makeDevice("lamp"), phone = world.makeDevice("phone")
    let peripheral = ExploredLamp(options: lamp.options)
    let app = ExploredApp(options: phone.options, mistake: mistake)
    world.eventually("the app is subscribed", within: .seconds(60)) { app.isSubscribed }
    await world.advancePastEvents()
    withExtendedLifetime(peripheral) {}
  }

  /// Runs an exploration that has to fail, with its capture in a folder of its own.
  private func failure(
    seeds: Int, within budget: ExplorationBudget = ExplorationBudget(),
    _ body: @escaping @Sendable (World) async throws -> Void
  ) async throws -> ExplorationFailure {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("explored-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try await WorldCapture.$folder.withValue(folder) {
      let failure = try #require(
        await #expect(throws: ExplorationFailure.self) { try await World.explore(seeds: seeds, within: budget, body) })
      let path = try #require(failure.capturePath)
      // A worker that repeats the test up to a later exploration does not find the folder any more.
      #expect(((try? Data(contentsOf: URL(fileURLWithPath: path)))?.count ?? 0) > 200)
      return failure
    }
  }

  // MARK: What is found

  @Test("I14.3 an app that stays away after Bluetooth was off is found within 200 worlds, with one event")
  func bluetoothOff() async throws {
    let failure = try await failure(seeds: 200) { try await Self.stayingSubscribed($0, .staysAwayAfterBluetoothWasOff) }
    #expect(failure.events.count == 1, "\(failure)")
    #expect(failure.events.allSatisfy { [.bluetoothOff, .controllerReset].contains($0.happening.kind) })
    #expect(failure.isReproducible)
  }

  @Test("I14.3 an app that subscribes on its first link only is found within 200 worlds, with one event")
  func subscribesOnce() async throws {
    let failure = try await failure(seeds: 200) { try await Self.stayingSubscribed($0, .subscribesOnce) }
    #expect(failure.events.count == 1, "\(failure)")
    #expect(failure.reason.contains("'the app is subscribed' is wrong from"))
  }

  @Test("I14.3 an app that gives up after a lost link is found within 200 worlds, with one event")
  func givesUp() async throws {
    let failure = try await failure(seeds: 200) { try await Self.stayingSubscribed($0, .givesUp) }
    #expect(failure.events.count == 1, "\(failure)")
  }

  @Test("I14.3 the app without a mistake passes 200 worlds")
  func withoutMistake() async throws {
    let exploration = try await World.explore(seeds: 200) { try await Self.stayingSubscribed($0, nil) }
    #expect(exploration.worlds == 200 && exploration.time > .seconds(200 * 60))
  }

  // MARK: What is reported

  @Test("I14.3 of failing worlds the one with the lowest seed counts; the issues of bodies are not reported one by one")
  func lowestSeed() async throws {
    let failure = try await failure(seeds: 100) { world in
      _ = world.makeDevice("lamp")
      await world.advance(by: .seconds(1))
      if world.seed >= 7, world.seed % 2 == 1 { Issue.record("odd") }
    }
    #expect(failure.seed == 7 && failure.events.isEmpty)
    #expect(failure.reason.contains("odd"))
  }

  @Test("I14.3 events are printed as sentences and as a test that compiles and fails in the same way")
  func pastedTest() async throws {
    let error = await #expect(throws: ExplorationFailure.self) {
      try await WorldCapture.$folder.withValue(NSTemporaryDirectory()) {
        try await World.replay(
          seed: 3,
          events: [
            .always(.variedSchedule),
            .at(.milliseconds(12_500), .outOfRange("lamp", lasting: .seconds(20))),
            .at(.seconds(20), .controllerReset("phone")),
          ]
        ) { world in
          try await Self.stayingSubscribed(world, .subscribesOnce)
        }
      }
    }
    let failure = try #require(error)
    #expect("\(failure)".contains("- at 12.5 s the lamp moves out of range for 20 s.\n"))
    // The call in this file is what is printed, but for its indentation.
    let file = try String(contentsOfFile: #filePath, encoding: .utf8)
    let call = failure.replayTest.split(separator: "\n").dropFirst().prefix { !$0.contains(") { world") }
    let indented = call.map { String(repeating: " ", count: 6) + $0 }.joined(separator: "\n")
    #expect(file.contains(indented), "\(indented)")
  }

  @Test("I14.3 the same seed and events give the same packets, also with a varied schedule")
  func sameWorld() async throws {
    let captures = Mutex<[[UInt8]]>([])
    for _ in 0..<2 {
      try await World.replay(
        seed: 11, events: [.always(.variedSchedule), .at(.seconds(9), .bluetoothOff("phone", lasting: .seconds(3)))]
      ) { world in
        try await Self.stayingSubscribed(world, nil)
        captures.withLock { $0.append(world.capture) }
      }
    }
    let both = captures.withLock { $0 }
    #expect(both.count == 2 && both[0] == both[1] && both[0].count > 1_000)
  }

  // MARK: Conditions and limits

  @Test("I14.3 a condition of always that is broken for one instant fails the world")
  func always() async throws {
    var budget = ExplorationBudget()
    budget.kinds = [.powerCut]
    let failure = try await failure(seeds: 200, within: budget) { world in
      let lamp = world.makeDevice("lamp"), phone = world.makeDevice("phone")
      let peripheral = ExploredLamp(options: lamp.options)
      let app = ExploredApp(options: phone.options)
      try? await world.wait(within: .seconds(100)) { app.isSubscribed }
      world.always("the link holds") { app.isSubscribed }
      await world.advancePastEvents()
      withExtendedLifetime(peripheral) {}
    }
    #expect(failure.reason.contains("'the link holds' is wrong at"))
    #expect(failure.events.map(\.happening.kind) == [.powerCut], "\(failure)")
  }

  @Test("I14.3 in a world that is not explored, a broken condition is an issue at the line that states it, once")
  func plainWorld() async {
    let world = World(seed: 21)
    let device = world.makeDevice("lamp")
    let line = Mutex(0)
    await withKnownIssue {
      line.withLock { $0 = #line + 1 }
      world.eventually("the sun rises", within: .seconds(5)) { false }
      await world.advance(by: .seconds(10))
      await world.advance(by: .seconds(10))
    } matching: {
      $0.sourceLocation?.line == line.withLock { $0 }
    }
    withExtendedLifetime(device) {}
  }

  @Test("I14.3 a body that never ends is a failure of its world, by time or by steps")
  func endless() async throws {
    var budget = ExplorationBudget()
    budget.timeLimit = .seconds(300)
    budget.shrinkLimit = 3
    let byTime = try await failure(seeds: 2, within: budget) { world in
      _ = world.makeDevice("lamp")
      while true { await world.advance(by: .seconds(1)) }
    }
    #expect(byTime.reason.contains("has not ended by 300 s"))
    budget.stepLimit = 1_000
    let bySteps = try await failure(seeds: 2, within: budget) { world in
      _ = world.makeDevice("lamp")
      while true { await world.settle() }
    }
    #expect(bySteps.reason.contains("after 1_000 steps"), "\(bySteps)")
  }
}
