import BLETestKit
import CoreBluetooth
import Foundation
import Synchronization
import Testing

/// Bodies that trap, do not end, fill the memory or leave it behind: each ends the process of its world only.
@Suite("Isolated worlds")
struct ExplorationIsolationTests {
  private func failure(
    seeds: Int = 4, within budget: ExplorationBudget = ExplorationBudget(),
    sourceLocation: SourceLocation = #_sourceLocation, _ body: @escaping @Sendable (World) async throws -> Void
  ) async throws -> ExplorationFailure {
    try await WorldCapture.$folder.withValue(NSTemporaryDirectory()) {
      try #require(
        await #expect(throws: ExplorationFailure.self) {
          try await World.explore(seeds: seeds, within: budget, sourceLocation: sourceLocation, body)
        })
    }
  }

  /// An app that traps on its queue when Bluetooth is switched off.
  private final class FragileApp: NSObject, CBCentralManagerDelegate {
    private var manager: CBCentralManager?
    private let offs: [Int]
    private var hasBeenOn = false

    init(options: [String: Any], offs: [Int]) {
      self.offs = offs
      super.init()
      manager = CBCentralManager(delegate: self, queue: DispatchQueue(label: "fragile app"), options: options)
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
      if central.state == .poweredOn { hasBeenOn = true }
      if central.state == .poweredOff, hasBeenOn { _ = offs[3] }
    }
  }

  // MARK: Traps

  @Test("I14.B a body that traps is a failure of its world, with what the program wrote last; the others are tried")
  func trap() async throws {
    let failure = try await failure(seeds: 20) { world in
      _ = world.makeDevice("lamp")
      await world.advance(by: .seconds(1))
      if world.seed >= 5 { fatalError("the roof of world \(world.seed) fell in") }
    }
    #expect(failure.seed == 5 && failure.events.isEmpty && failure.isReproducible)
    #expect(failure.reason.contains("its process ended with signal"), "\(failure)")
    #expect(failure.reason.contains("Fatal error: the roof of world 5 fell in"), "\(failure)")
  }

  @Test(
    "I14.B a callback that traps on the app's queue is found, shrunk to its event, and leaves the traffic until then")
  func trapInCallback() async throws {
    var budget = ExplorationBudget()
    budget.kinds = [.bluetoothOff, .outOfRange, .loss]
    let failure = try await failure(seeds: 100, within: budget) { world in
      let lamp = world.makeDevice("lamp"), phone = world.makeDevice("phone")
      let peripheral = ExploredLamp(options: lamp.options)
      let app = FragileApp(options: phone.options, offs: [1, 2, 3])
      await world.advancePastEvents()
      withExtendedLifetime((peripheral, app)) {}
    }
    #expect(failure.events.count == 1 && failure.events[0].happening.kind == .bluetoothOff, "\(failure)")
    #expect(failure.reason.contains("Index out of range"), "\(failure)")
    // The place in the program.
    #expect(failure.reason.contains("ExplorationIsolationTests.swift:"), "\(failure)")
    let path = try #require(failure.capturePath)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count > 1_000, "\(failure)")
  }

  // MARK: Without end

  @Test("I14.B a body that computes without end is over its processor time")
  func endlessLoop() async throws {
    var budget = ExplorationBudget()
    budget.processorTimeLimit = .seconds(1)
    let failure = try await failure(within: budget) { world in
      _ = world.makeDevice("lamp")
      await world.advance(by: .seconds(3))
      if world.seed == 2 { while world.now > .zero {} }
    }
    #expect(failure.seed == 2 && failure.isReproducible)
    #expect(
      failure.reason == "the body has used 1 s of processor time without an end, at 3 s of the world's time",
      "\(failure)")
  }

  @Test("I14.B a body that waits without end for something that does not happen is a failure")
  func endlessWait() async throws {
    let failure = try await failure { world in
      _ = world.makeDevice("lamp")
      await world.advance(by: .seconds(3))
      if world.seed == 1 { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
    }
    #expect(failure.seed == 1 && failure.isReproducible)
    #expect(
      failure.reason == "the body waits without end for something that does not happen, at 3 s of the world's time",
      "\(failure)")
  }

  @Test("I14.B a callback that does not return is a failure, with the queue's name")
  func blockedQueue() async throws {
    let failure = try await failure { world in
      let phone = world.makeDevice("phone")
      let app = ExploredApp(options: phone.options)
      await world.advance(by: .seconds(3))
      if world.seed == 3 {
        world.clock.run(on: DispatchQueue(label: "own")) { DispatchSemaphore(value: 0).wait() }
        await world.advance(by: .seconds(3))
      }
      withExtendedLifetime(app) {}
    }
    #expect(failure.seed == 3)
    #expect(failure.reason.contains("1 callbacks or steps of tasks do not return, at 3 s"), "\(failure)")
    #expect(failure.reason.contains("'explored app'"), "\(failure)")
  }

  // MARK: Memory

  /// For the rest of its process.
  private static let kept = Mutex<[[UInt8]]>([])

  private static func keep(_ octets: Int) {
    kept.withLock { $0.append([UInt8](repeating: 1, count: octets)) }
  }

  @Test("I14.B a body that fills the memory is a failure, before it has taken the machine's")
  func fillsMemory() async throws {
    var budget = ExplorationBudget()
    budget.memoryLimit = 64 << 20
    let failure = try await failure(within: budget) { world in
      _ = world.makeDevice("lamp")
      if world.seed == 2 {
        while true {
          Self.keep(1 << 16)
          await world.advance(by: .milliseconds(1))
        }
      }
    }
    #expect(failure.seed == 2 && failure.isReproducible)
    #expect(failure.reason.hasPrefix("the body fills more than 64 MiB of memory, at "), "\(failure)")
  }

  @Test("I14.B a body that leaves 100 KiB behind in each world is warned of; one that leaves nothing is not")
  func leak() async throws {
    let warnings = Mutex<[String]>([])
    let issues = IssueHandlingTrait.compactMapIssues { issue in
      guard issue.severity == .warning else { return issue }
      warnings.withLock { $0.append("\(issue)") }
      return nil
    }
    let test = try #require(Test.current)
    try await issues.provideScope(for: test, testCase: Test.Case.current) {
      let leaking = try await World.explore(seeds: 400) { world in
        _ = world.makeDevice("lamp")
        await world.advance(by: .seconds(1))
        Self.keep(100 << 10)
      }
      #expect((90 << 10...130 << 10).contains(leaking.memoryLeftBehind ?? 0), "\(leaking)")
      #expect(leaking.isolation == .processes && leaking.isolationRemark == nil)
    }
    let said = warnings.withLock { $0 }
    #expect(said.count == 1 && said[0].contains("KiB of memory behind"), "\(said)")
    // A worker that has become too large is replaced.
    var budget = ExplorationBudget()
    budget.memoryLimit = 32 << 20
    budget.memoryLeftBehindLimit = 1 << 20
    let replaced = try await World.explore(seeds: 400, within: budget) { world in
      _ = world.makeDevice("lamp")
      Self.keep(200 << 10)
      #expect(Self.kept.withLock { $0.count } < 100)
    }
    #expect(replaced.worlds == 400)
    let clean = try await World.explore(seeds: 400) { world in
      let device = world.makeDevice("lamp")
      let lamp = ExploredLamp(options: device.options)
      await world.advance(by: .seconds(1))
      withExtendedLifetime(lamp) {}
    }
    #expect(try #require(clean.memoryLeftBehind) < 4 << 10, "\(clean)")
  }

  // MARK: Processes

  @Test("I14.B a worker that somebody kills is replaced, and its world is run once more")
  func killed() async throws {
    // The parent of a worker is this process: both know the file by its number.
    let exploration = try await World.explore(seeds: 6) { world in
      _ = world.makeDevice("lamp")
      await world.advance(by: .seconds(1))
      guard world.seed == 3 else { return }
      // The first process that comes here makes the file, and ends as from outside.
      let file = open("\(NSTemporaryDirectory())/killed-\(getppid())", O_CREAT | O_EXCL | O_WRONLY, 0o600)
      if file >= 0 { kill(getpid(), SIGKILL) }
    }
    #expect(unlink("\(NSTemporaryDirectory())/killed-\(getpid())") == 0)
    #expect(exploration.worlds == 6 && exploration.isolation == .processes)
    let failure = try await failure { world in
      _ = world.makeDevice("lamp")
      if world.seed == 3 { kill(getpid(), SIGKILL) }
    }
    #expect(
      failure.seed == 3 && failure.reason.hasPrefix("its process ended with signal 9 (Killed), twice"), "\(failure)")
  }

  @Test("I14.B a cancelled exploration ends, although a world of it computes without end")
  func cancelled() async throws {
    // The parent of a worker is this process: both know the pipe by its number.
    let pipe = "\(NSTemporaryDirectory())/started-\(getpid())"
    unlink(pipe)
    #expect(mkfifo(pipe, 0o600) == 0)
    let exploration = Task {
      try await World.explore(seeds: 10) { world in
        _ = world.makeDevice("lamp")
        if world.seed == 1 { close(open("\(NSTemporaryDirectory())/started-\(getppid())", O_WRONLY)) }
        while world.seed > 0 {}
      }
    }
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        close(open(pipe, O_RDONLY))
        continuation.resume()
      }
    }
    exploration.cancel()
    await #expect(throws: CancellationError.self) { try await exploration.value }
    unlink(pipe)
  }

  @Test("I14.B the call is found among others of its test, in a loop, and with other arguments", arguments: [3, 5])
  func otherCalls(limit: UInt64) async throws {
    // Worlds run where these calls have ended as they did in the process of the test.
    let first = try await World.explore(seeds: 3) { _ = $0.makeDevice("lamp") }
    #expect(first.worlds == 3)
    for round in 0..<2 as Range<UInt64> {
      let failure = try await failure(seeds: 10) { world in
        _ = world.makeDevice("lamp")
        if world.seed >= limit + round { Issue.record("limit \(limit), round \(round)") }
      }
      #expect(failure.seed == limit + round)
      #expect(failure.reason.contains("limit \(limit), round \(round)"))
      #expect(!"\(failure)".contains("in the process of the test"), "\(failure)")
    }
  }

  @Test("I14.B an exploration within a world runs in its process, and says so")
  func nested() async throws {
    let exploration = try await World.explore(seeds: 2) { outer in
      _ = outer.makeDevice("lamp")
      let inner = try await World.explore(seeds: 3) { _ = $0.makeDevice("phone") }
      #expect(inner.worlds == 3 && inner.isolation == .none)
      #expect(inner.isolationRemark == "it is called in a world of another exploration")
    }
    #expect(exploration.worlds == 2 && exploration.isolation == .processes, "\(exploration)")
  }

  @Test("I14.3 the result is the same in one process, in several, and without workers")
  func sameResult() async throws {
    var budget = ExplorationBudget()
    var failures: [ExplorationFailure] = []
    let places: [(ExplorationIsolation, Int)] = [(.processes, 1), (.processes, 3), (.none, 1), (.none, 2)]
    for (isolation, parallelWorlds) in places {
      budget.isolation = isolation
      budget.parallelWorlds = parallelWorlds
      failures.append(
        try await failure(seeds: 100, within: budget) { world in
          let lamp = world.makeDevice("lamp"), phone = world.makeDevice("phone")
          let peripheral = ExploredLamp(options: lamp.options)
          let app = ExploredApp(options: phone.options, mistake: .subscribesOnce)
          world.eventually("the app is subscribed", within: .seconds(60)) { app.isSubscribed }
          await world.advancePastEvents()
          withExtendedLifetime(peripheral) {}
        })
    }
    let captures = try failures.map { try Data(contentsOf: URL(fileURLWithPath: #require($0.capturePath))) }
    for (failure, capture) in zip(failures, captures) {
      #expect(failure.seed == failures[0].seed && failure.events == failures[0].events)
      #expect(failure.reason == failures[0].reason && failure.timeline == failures[0].timeline)
      #expect(capture == captures[0] && capture.count > 2_000)
    }
  }

  @Test(
    "I14.B a test that does not come to its call when it is started again is given up, and its worlds run in its process"
  )
  func waitsBefore() async throws {
    if ProcessInfo.processInfo.environment["BLE_EXPLORATION_WORKER"] != nil {
      await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }
    let exploration = try await World.explore(seeds: 3) { _ = $0.makeDevice("lamp") }
    #expect(exploration.worlds == 3 && exploration.isolation == .none)
    let remark = try #require(exploration.isolationRemark)
    #expect(remark.contains("does not come to this call") && remark.contains("waited without end"), "\(remark)")
  }

  @Test("I14.B without a test that can be started again, worlds run in its process, and the exploration says so")
  func withoutTest() async throws {
    let exploration = try await Task.detached {
      try await World.explore(seeds: 3) { _ = $0.makeDevice("lamp") }
    }.value
    #expect(exploration.worlds == 3 && exploration.isolation == .none)
    #expect(exploration.isolationRemark == "no test of swift-testing calls it")
  }
}
