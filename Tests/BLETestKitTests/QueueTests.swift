import BLETestKit
import CoreBluetooth
import Synchronization
import TestSupport
import Testing

/// Apps whose methods dispatch to their manager's queue: the world waits for the blocks on it.
@Suite("Blocks of the app's own on its manager's queue")
struct QueueTests {
  private struct Story {
    let world: World
    let lamp: StoryLamp
    let remote: RemoteControl

    init(seed: UInt64) {
      world = World(seed: seed, watchedEvery: .milliseconds(20))
      lamp = StoryLamp(options: world.makeDevice("lamp").options)
      remote = RemoteControl(options: world.makeDevice("phone").options)
    }
  }

  @Test("I11.26 200 runs of an app that dispatches to its queue are equal, octet for octet, and none loses a value")
  func twoHundredRuns() async throws {
    var captures: Set<[UInt8]> = []
    for _ in 0..<200 {
      let story = Story(seed: 5)
      try await story.world.wait(within: .seconds(10)) { story.remote.isConnected }
      for value in UInt8(1)...5 {
        story.remote.setBrightness(value)
        await story.world.settle()
        #expect(story.lamp.values.last == value)
      }
      for value in UInt8(6)...9 {
        story.remote.setBrightness(value)
        await story.world.advance(by: .seconds(1))
        #expect(story.remote.acknowledged == Int(value))
      }
      story.remote.setBrightnessLater(10)
      await story.world.settle()
      #expect(story.lamp.values == Array(1...10))
      captures.insert(story.world.capture)
    }
    #expect(captures.count == 1)
  }

  @Test("I11.26 a settle waits for a block that is already on a manager's queue, however long it takes to start")
  func slowBlock() async throws {
    let story = Story(seed: 6)
    try await story.world.wait(within: .seconds(10)) { story.remote.isConnected }
    story.remote.occupy { usleep(30_000) }
    story.remote.setBrightness(7)
    await story.world.settle()
    #expect(story.lamp.values == [7])
  }

  @Test("I11.26 a manager on the main queue, and a test that runs there") @MainActor
  func mainQueue() async throws {
    let world = World(seed: 7)
    let lamp = StoryLamp(options: world.makeDevice("lamp").options)
    let remote = RemoteControl(options: world.makeDevice("phone").options, queue: .main)
    try await world.wait(within: .seconds(10)) { remote.isConnected }
    for value in UInt8(1)...20 {
      remote.setBrightness(value)
      await world.settle()
    }
    #expect(lamp.values == Array(1...20))
  }

  @Test("I11.26 a test on an actor whose executor is the manager's queue")
  func testOnTheQueue() async throws {
    try await OnQueue().run()
  }

  /// An actor that runs on a queue, as do the objects that it tests.
  private actor OnQueue {
    let executor = QueueExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func run() async throws {
      let world = World(seed: 8)
      let lamp = StoryLamp(options: world.makeDevice("lamp").options)
      let remote = RemoteControl(options: world.makeDevice("phone").options, queue: executor.queue)
      try await world.wait(within: .seconds(10)) { remote.isConnected }
      for value in UInt8(1)...20 {
        remote.setBrightness(value)
        await world.settle()
      }
      #expect(lamp.values == Array(1...20))
    }
  }

  @Test("I11.26 work that an app dispatches to a queue of its own is waited for when the world follows that queue")
  func followedQueue() async throws {
    for _ in 0..<50 {
      let story = Story(seed: 9)
      let own = DispatchQueue(label: "model")
      story.world.follow(own)
      try await story.world.wait(within: .seconds(10)) { story.remote.isConnected }
      own.async { story.remote.setBrightness(3) }
      await story.world.settle()
      #expect(story.lamp.values == [3])
    }
  }

  @Test(
    "I11.26 a queue that endlessly dispatches to itself does not block the world, and is reported where it makes requests"
  )
  func endless() async throws {
    let story = Story(seed: 10)
    try await story.world.wait(within: .seconds(10)) { story.remote.isConnected }
    let quiet = Endless {}
    story.remote.forever(quiet)
    await story.world.advance(by: .seconds(1))
    quiet.stop()
    #expect(!story.world.logLines.contains { $0.text.contains("one instant") })

    let busy = Endless { story.remote.stopScan() }
    story.remote.forever(busy)
    await story.world.advance(by: .seconds(1))
    busy.stop()
    #expect(story.world.logLines.contains { $0.text.contains("'remote control'") && $0.text.contains("one instant") })
  }

  @Test("I11.26 a queue that is called 10,000 times while the clock goes on is waited for like any other")
  func long() async throws {
    let world = World(seed: 13, keepsPackets: false)
    let advertisers = (0..<10).map { PeripheralApp("advertiser \($0)", on: world.makeDevice("device \($0)")) }
    let scanner = CentralApp(world.makeDevice("phone").options)
    scanner.scanWhenPoweredOn(allowingDuplicates: true)
    await world.advance(by: .seconds(200))
    #expect(scanner.sightings.count > 10_000 && advertisers.allSatisfy { $0.manager.isAdvertising })
    #expect(!world.logLines.contains { $0.text.contains("one instant") })
  }

  @Test("I11.26 a queue that endlessly makes requests faster than they are carried out does not stop the clock")
  func endlessFlood() async throws {
    let story = Story(seed: 12)
    try await story.world.wait(within: .seconds(10)) { story.remote.isConnected }
    let flood = Endless { for _ in 0..<5 { story.remote.stopScan() } }
    story.remote.forever(flood)
    let begin = story.world.now
    await story.world.advance(by: .seconds(2))
    flood.stop()
    #expect(story.world.now - begin == .seconds(2))
    story.remote.setBrightness(4)
    try await story.world.wait(within: .seconds(5)) { story.lamp.values == [4] }
  }

  @Test("I11.26 a blocked queue holds the world for a moment, which is then reported, and no longer")
  func blocked() async throws {
    let story = Story(seed: 11)
    try await story.world.wait(within: .seconds(10)) { story.remote.isConnected }
    let release = DispatchSemaphore(value: 0)
    story.remote.occupy { release.wait() }
    await story.world.advance(by: .seconds(5))
    #expect(story.world.logLines.contains { $0.text.contains("'remote control'") && $0.text.contains("blocked") })
    release.signal()
    story.remote.setBrightness(4)
    try await story.world.wait(within: .seconds(5)) { story.lamp.values == [4] }
    // The world can pass it again.
    for value in UInt8(5)...9 {
      story.remote.setBrightness(value)
      await story.world.settle()
    }
    #expect(story.lamp.values == Array(4...9))
  }
}

private final class QueueExecutor: SerialExecutor {
  let queue = DispatchQueue(label: "actor")
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}

/// The endless work of a queue, until it is stopped.
final class Endless: Sendable {
  private let isOver = Atomic(false)
  private let step: @Sendable () -> Void
  init(_ step: @escaping @Sendable () -> Void) { self.step = step }
  func stop() { isOver.store(true, ordering: .relaxed) }
  /// On the queue.
  func turn(on queue: DispatchQueue) {
    if isOver.load(ordering: .relaxed) { return }
    step()
    queue.async { self.turn(on: queue) }
  }
}
