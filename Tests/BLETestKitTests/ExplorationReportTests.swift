import BLETestKit
import CoreBluetooth
import Foundation
import Synchronization
import Testing

/// What an exploration reports besides its failure: what was tried, the picture of a failure, and faults as events.
@Suite("Reports of explorations")
struct ExplorationReportTests {
  private static func stayingSubscribed(_ world: World, isSecret: Bool = false, app mistake: ExploredApp.Mistake? = nil)
    async throws
  {
    let lamp = world.makeDevice("lamp"), phone = world.makeDevice("phone")
    let peripheral = ExploredLamp(options: lamp.options, isSecret: isSecret)
    let app = ExploredApp(options: phone.options, mistake: mistake)
    world.eventually("the app is subscribed", within: .seconds(90)) { app.isSubscribed }
    await world.advancePastEvents()
    withExtendedLifetime(peripheral) {}
  }

  private func failure(
    seeds: Int, within budget: ExplorationBudget, _ body: @escaping @Sendable (World) async throws -> Void
  ) async throws -> ExplorationFailure {
    try await WorldCapture.$folder.withValue(NSTemporaryDirectory()) {
      try #require(
        await #expect(throws: ExplorationFailure.self) { try await World.explore(seeds: seeds, within: budget, body) })
    }
  }

  @Test(
    "I14.3 what devices did when events struck, and which procedures waited for an answer, is counted, with what is missing"
  )
  func coverage() async throws {
    var budget = ExplorationBudget()
    budget.kinds = [.outOfRange, .bluetoothOff, .controllerReset]
    // The first seconds, in which the app scans, connects and looks around.
    budget.period = .zero ... .milliseconds(1_500)
    budget.lengths = .seconds(1) ... .seconds(10)
    budget.devices = ["phone"]
    let exploration = try await World.explore(seeds: 300, within: budget) { try await Self.stayingSubscribed($0) }
    let coverage = exploration.coverage
    #expect(coverage.kinds == ["bluetoothOff", "controllerReset", "outOfRange"])
    for activity in [DeviceActivity.off, .scanning, .connecting, .exchanging, .openLink] {
      #expect(coverage.count(of: "outOfRange", during: activity) > 0, "\(activity)\n\(coverage)")
    }
    #expect(coverage.count(of: "outOfRange", during: .pairing) == 0)
    let used = coverage.usedProcedures.map { "\($0)" }
    #expect(used.contains("ATT_READ_BY_GROUP_TYPE_REQ") || used.contains("ATT_FIND_BY_TYPE_VALUE_REQ"), "\(used)")
    #expect(used.contains("ATT_WRITE_REQ") && used.contains("ATT_EXCHANGE_MTU_REQ"), "\(used)")
    let during = coverage.usedProcedures.reduce(0) { sum, procedure in
      sum + coverage.kinds.reduce(0) { $0 + coverage.count(of: $1, during: procedure) }
    }
    #expect(during > 10, "\(coverage)")
    // Each cell that is zero is listed, and no other.
    for procedure in coverage.usedProcedures {
      for kind in coverage.kinds {
        let isMissing = coverage.missing.contains("\(kind) during \(procedure)")
        #expect(isMissing == (coverage.count(of: kind, during: procedure) == 0))
      }
    }
    #expect("\(exploration)".contains("How often events struck a device, by what it did:"))
  }

  @Test("I14.3 pairing and encrypted links are activities of their own")
  func secretCoverage() async throws {
    var budget = ExplorationBudget()
    budget.kinds = [.distance]
    budget.period = .zero ... .seconds(2)
    let exploration = try await World.explore(seeds: 200, within: budget) {
      try await Self.stayingSubscribed($0, isSecret: true)
    }
    #expect(exploration.coverage.count(of: "distance", during: .pairing) > 0, "\(exploration.coverage)")
    #expect(exploration.coverage.count(of: "distance", during: .encryptedLink) > 0, "\(exploration.coverage)")
  }

  @Test("I14.3 a failure has a picture of its events and links, to scale")
  func picture() async throws {
    var budget = ExplorationBudget()
    budget.kinds = [.powerCut]
    budget.devices = ["lamp"]
    let failure = try await failure(seeds: 100, within: budget) {
      try await Self.stayingSubscribed($0, app: .givesUp)
    }
    let lines = failure.timeline.split(separator: "\n").map(String.init)
    #expect(lines.first?.hasPrefix("0 s") == true && lines.first?.hasSuffix(" s") == true, "\(failure)")
    let event = try #require(lines.first { $0.contains("the lamp loses its power") })
    let link = try #require(lines.first { $0.contains("link of phone to lamp") })
    let end = try #require(lines.first { $0.contains("it fails") })
    // The link ends after the event has begun, and the failure is last.
    let begin = try #require(event.firstIndex(of: "=")), lost = try #require(link.lastIndex(of: "-"))
    let fails = try #require(end.firstIndex(of: "X"))
    #expect(
      event.distance(from: event.startIndex, to: begin) <= link.distance(from: link.startIndex, to: lost)
        && link.distance(from: link.startIndex, to: lost) < end.distance(from: end.startIndex, to: fails), "\(failure)")
    #expect("\(failure)".contains(failure.timeline))
  }

  // MARK: Faults

  @Test("I14.3 a fault of a device is an event: found, made simple, and printed as a sentence and in Swift")
  func faults() async throws {
    var budget = ExplorationBudget()
    budget.kinds = [.fault, .distance]
    budget.faults = [.error, .delay]
    budget.devices = ["lamp"]
    budget.period = .zero ... .milliseconds(500)
    let failure = try await failure(seeds: 200, within: budget) { world in
      let lamp = world.makeDevice("lamp"), phone = world.makeDevice("phone")
      let peripheral = ExploredLamp(options: lamp.options)
      let app = ExploredApp(options: phone.options)
      world.always("nothing has failed") { world.faultsStruck.allSatisfy { $0.fault.action.kind != .error } }
      await world.advancePastEvents()
      await world.advance(by: .seconds(30))
      withExtendedLifetime((peripheral, app)) {}
    }
    #expect(failure.events.count == 1, "\(failure)")
    guard case .fault(let fault, "lamp") = failure.events.first?.happening else {
      return #expect(Bool(false), "\(failure)")
    }
    #expect(fault.action.kind == .error && fault.trigger.occurrence == .nth(1))
    #expect("\(failure)".contains("the lamp has a fault from then on, once: \(fault)"))
    #expect(failure.replayTest.contains(".fault(\(fault.source), \"lamp\")"))
  }

  @Test("I14.3 an event of each kind survives the way to a worker and back")
  func coding() throws {
    let events: [WorldEvent] =
      Fault.known.map { .at(.milliseconds(1_500), .fault($0, "lamp")) } + [
        .always(.variedSchedule), .always(.quirks([.hardwareError, .slowCommands], "a \"b\"")),
        .always(.lateCallbacks("phone")), .always(.setting(.trainStation)),
        .at(.seconds(3), .loss(0.35, between: "a", and: "b", lasting: .seconds(4))),
        .at(.seconds(1), .processTermination("phone")), .at(.zero, .distance(12.5, "x", lasting: .milliseconds(1))),
      ]
    let octets = try JSONEncoder().encode(events)
    #expect(try JSONDecoder().decode([WorldEvent].self, from: octets) == events)
  }

  @Test("I14.3 a setting is a circumstance: an app that needs a near lamp is found in one where the lamp is far")
  func setting() async throws {
    var budget = ExplorationBudget()
    budget.kinds = [.setting]
    let failure = try await failure(seeds: 50, within: budget) { world in
      let lamp = world.makeDevice("lamp"), phone = world.makeDevice("phone")
      let peripheral = ExploredLamp(options: lamp.options)
      let app = ExploredApp(options: phone.options)
      #expect(world.setting == nil || [.sameDesk, .pocket, .kitchen].contains(world.setting))
      withExtendedLifetime((peripheral, app)) {}
    }
    guard failure.events.count == 1, case .setting(let setting)? = failure.events.first?.happening else {
      return #expect(Bool(false), "\(failure)")
    }
    #expect("\(failure)".contains("- the devices are in the setting '\(setting.name)'.\n"))
    #expect(WorldSetting.all.map { WorldEvent.always(.setting($0)).source }.contains(".always(.setting(.edgeOfRange))"))
  }

  // MARK: Schedules

  @Test("I14.3 callbacks that come late come in the same order, and a run with them is the same each time")
  func lateCallbacks() async throws {
    let runs = Mutex<[(Duration, [UInt8])]>([])
    for events: [WorldEvent] in [[], [.always(.lateCallbacks("phone"))], [.always(.lateCallbacks("phone"))]] {
      try await World.replay(seed: 4, events: events) { world in
        let lamp = world.makeDevice("lamp"), phone = world.makeDevice("phone")
        let peripheral = ExploredLamp(options: lamp.options)
        let app = ExploredApp(options: phone.options)
        try await world.wait(within: .seconds(10)) { app.isSubscribed }
        runs.withLock { $0.append((world.now, world.capture)) }
        withExtendedLifetime(peripheral) {}
      }
    }
    let all = runs.withLock { $0 }
    // Six callbacks, 25 ms late on average.
    #expect(all[1].0 > all[0].0 + .milliseconds(30) && all[1].0 < all[0].0 + .seconds(1))
    #expect(all[1].1 == all[2].1)
  }

  @Test(
    "I14.3 a controller that passes on data before it announces the connection keeps no app from its lamp",
    arguments: [
      "lamp", "phone",
    ])
  func earlyData(device: String) async throws {
    for seed in 0..<5 as Range<UInt64> {
      try await World.replay(seed: seed, events: [.always(.quirks(.dataBeforeConnectionComplete, device))]) { world in
        let lamp = world.makeDevice("lamp"), phone = world.makeDevice("phone")
        let peripheral = ExploredLamp(options: lamp.options)
        let app = ExploredApp(options: phone.options)
        try await world.wait(within: .seconds(10)) { app.isSubscribed }
        #expect(world.endReasons(at: phone).isEmpty)
        withExtendedLifetime(peripheral) {}
      }
    }
  }

  @Test("I14.3 the same seed and events are the same world on any machine")
  func digests() async throws {
    let worlds: [(seed: UInt64, events: [WorldEvent])] = [
      (1, []),
      (2, [.always(.variedSchedule)]),
      (3, [.always(.variedSchedule), .at(.seconds(5), .bluetoothOff("phone", lasting: .seconds(3)))]),
      (
        4,
        [
          .always(.variedSchedule), .always(.lateCallbacks("phone")),
          .at(.seconds(4), .loss(0.4, between: "lamp", and: "phone", lasting: .seconds(20))),
          .at(.seconds(30), .processTermination("phone")),
          .at(.seconds(40), .distance(40, "lamp", lasting: .seconds(9))),
        ]
      ),
    ]
    var digests: [String] = []
    for world in worlds {
      let capture = Mutex<[UInt8]>([])
      try await World.replay(seed: world.seed, events: world.events) { world in
        let lamp = world.makeDevice("lamp"), phone = world.makeDevice("phone")
        let store = ExploredApp.Store()
        let peripheral = world.launch(on: lamp) { ExploredLamp(options: $0) }
        let app = world.launch(on: phone) { ExploredApp(options: $0, store: store) }
        await world.advancePastEvents()
        await world.advance(by: .seconds(20))
        #expect(app.current.isSubscribed)
        capture.withLock { $0 = world.capture }
        withExtendedLifetime(peripheral) {}
      }
      // FNV-1a.
      let digest = capture.withLock { octets in
        octets.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
      }
      digests.append(String(digest, radix: 16))
    }
    // They change with what devices say to each other, not with the machine.
    #expect(digests == ["196f71d027ba0096", "3b992ca31d7959a", "54dc266ba77dce4c", "488777e0b9c3c873"])
  }
}
