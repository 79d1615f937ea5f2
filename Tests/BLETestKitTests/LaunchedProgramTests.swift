import BLETestKit
import CoreBluetooth
import Foundation
import Testing

/// Programs that are made again in each process of their device, and the events that concern an application and its system.
@Suite("Launched programs")
struct LaunchedProgramTests {
  private struct Pair {
    let lamp: LaunchedProgram<ExploredLamp>
    let app: LaunchedProgram<ExploredApp>
    let phone: Device
  }

  private static func pair(
    in world: World, _ mistake: ExploredApp.Mistake? = nil, isSecret: Bool = false
  ) -> Pair {
    let lamp = world.makeDevice("lamp"), phone = world.makeDevice("phone")
    let store = ExploredApp.Store()
    return Pair(
      lamp: world.launch(on: lamp) { ExploredLamp(options: $0, isSecret: isSecret) },
      app: world.launch(on: phone) { ExploredApp(options: $0, mistake: mistake, store: store) }, phone: phone)
  }

  private func failure(
    _ kinds: Set<Happening.Kind>, seeds: Int = 50, in period: ClosedRange<Duration> = .zero ... .seconds(60),
    _ body: @escaping @Sendable (World) async throws -> Void
  ) async throws -> ExplorationFailure {
    var budget = ExplorationBudget()
    budget.kinds = kinds
    budget.period = period
    budget.devices = ["phone"]
    return try await WorldCapture.$folder.withValue(NSTemporaryDirectory()) {
      try #require(
        await #expect(throws: ExplorationFailure.self) { try await World.explore(seeds: seeds, within: budget, body) })
    }
  }

  @Test("I14.3 a terminated process's program is made again, in the next process")
  func madeAgain() async throws {
    let world = World(seed: 5)
    let pair = Self.pair(in: world)
    try await world.wait(within: .seconds(10)) { pair.app.current.isSubscribed }
    let first = pair.app.current
    pair.phone.terminateProcess()
    #expect(pair.app.launches == 2 && pair.app.current !== first && !pair.app.current.isSubscribed)
    try await world.wait(within: .seconds(30)) { pair.app.current.isSubscribed }
    #expect(pair.lamp.launches == 1)
  }

  @Test("I14.3 what was set on a device holds for its next process: the adapter that is switched off stays so")
  func settingsStay() async throws {
    let world = World(seed: 6)
    let pair = Self.pair(in: world)
    try await world.wait(within: .seconds(10)) { pair.app.current.isSubscribed }
    pair.phone.powerOff()
    await world.settle()
    pair.phone.terminateProcess()
    await world.advance(by: .seconds(60))
    #expect(!pair.app.current.isSubscribed)
    pair.phone.powerOn()
    try await world.wait(within: .seconds(10)) { pair.app.current.isSubscribed }
  }

  @Test("I14.3 an app that believes what its last process stored is found by the end of a process")
  func believesItsStore() async throws {
    let failure = try await failure([.processTermination, .outOfRange]) { world in
      let pair = Self.pair(in: world, .subscribesOnce)
      // Its first process alone would be enough of a mistake.
      world.eventually("the app is subscribed", within: .seconds(60)) {
        pair.app.current.isSubscribed || pair.app.launches == 1
      }
      await world.advancePastEvents()
    }
    #expect(failure.events.map(\.happening) == [.processTermination("phone")], "\(failure)")
    #expect("\(failure)".contains("the process of the application on the phone is terminated.\n"))
  }

  @Test("I14.3 an app that scans for everything finds nothing in the background")
  func background() async throws {
    let failure = try await failure([.background], in: .zero ... .seconds(1)) { world in
      let pair = Self.pair(in: world, .scansForEverything)
      try await world.wait(within: .seconds(20)) { pair.app.current.isSubscribed }
      await world.advancePastEvents()
    }
    #expect(failure.events.map(\.happening.kind) == [.background], "\(failure)")
    // And with its service it does.
    try await World.replay(seed: failure.seed, events: failure.events) { world in
      let pair = Self.pair(in: world)
      try await world.wait(within: .seconds(20)) { pair.app.current.isSubscribed }
    }
  }

  @Test("I14.3 bonds are lost where there are any")
  func bondLoss() async throws {
    let failure = try await failure([.bondLoss]) { world in
      let pair = Self.pair(in: world, isSecret: true)
      try? await world.wait(within: .seconds(20)) { pair.app.current.isSubscribed }
      #expect(!pair.phone.bonds.isEmpty || world.now > .seconds(19))
      await world.advancePastEvents()
      #expect(pair.app.current.isSubscribed && !pair.phone.bonds.isEmpty)
    }
    #expect(failure.events.map(\.happening) == [.bondLoss("phone")], "\(failure)")
    var budget = ExplorationBudget()
    budget.kinds = [.bondLoss, .processTermination, .background]
    // Neither bonds nor launched programs: nothing can strike.
    try await World.explore(seeds: 5, within: budget) { world in
      _ = world.makeDevice("lamp")
      await world.advancePastEvents()
      #expect(world.now == .zero)
    }
  }
}
