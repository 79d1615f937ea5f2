import BLECore
import BLETestKit
import CoreBluetooth
import Foundation
import Testing

/// The output of a test that fails, or hangs.
@Suite("When a test fails")
struct FailureTests {
  private struct Failure: Error {}

  /// Runs `body` as a case with `.keepsCapture`, in a folder of its own.
  private func keepingCaptures(_ body: @Sendable () async throws -> Void) async throws -> [String: Int] {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("captures-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let test = try #require(Test.current)
    try await WorldCapture.$folder.withValue(folder) {
      do {
        try await CaptureKeepingTrait().provideScope(for: test, testCase: Test.Case.current, performing: body)
      } catch is Failure {}
    }
    var sizes: [String: Int] = [:]
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] where name.hasSuffix(".pcapng") {
      let page = "\(folder)/\(name.dropLast(".pcapng".count)).html"
      #expect(FileManager.default.fileExists(atPath: page), "\(page)")
      sizes[name] = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)")).count
    }
    return sizes
  }

  @Test("I11.27 an error that a test throws leaves a capture, though its world has ended by then, and reports it once")
  func thrown() async throws {
    let log = LogOfWorld()
    let captures = try await keepingCaptures {
      let world = World(seed: 77)
      log.keep(world)
      let lamp = StoryLamp(options: world.makeDevice("lamp").options)
      await world.advance(by: .seconds(1))
      withExtendedLifetime(lamp) {}
      throw Failure()
    }
    #expect(captures.count == 1 && captures.allSatisfy { $0.key.contains("77") && $0.value > 200 }, "\(captures)")
    #expect(log.lines.count { $0.text.contains("traffic of the failed test") } == 1)
  }

  @Test("I11.27 a wait that times out, the guide's own example, leaves a capture, with the issue at that line")
  func waitInVain() async throws {
    let log = LogOfWorld()
    var captures: [String: Int] = [:]
    let line = #line + 6
    try await withKnownIssue {
      captures = try await keepingCaptures {
        let world = World(seed: 78)
        log.keep(world)
        _ = world.makeDevice("lamp")
        try await world.wait(within: .seconds(1)) { false }
      }
    } matching: { issue in
      issue.error is WaitError && issue.sourceLocation?.line == line
    }
    #expect(captures.count == 1 && captures.allSatisfy { $0.key.contains("78") && $0.value > 200 }, "\(captures)")
    #expect(log.lines.count { $0.text.contains("traffic of the failed test") } == 1)
  }

  @Test("I11.27 several failing expectations leave one capture, with all that followed the first, and report it once")
  func expectations() async throws {
    let log = LogOfWorld()
    let whole = Box(0)
    var captures: [String: Int] = [:]
    await withKnownIssue {
      captures = try await keepingCaptures {
        let world = World(seed: 79)
        log.keep(world)
        let lamp = StoryLamp(options: world.makeDevice("lamp").options)
        Issue.record("the first")
        await world.advance(by: .seconds(5))
        Issue.record("the second")
        whole.value = world.capture.count
        withExtendedLifetime(lamp) {}
      }
    }
    #expect(captures.map(\.value) == [whole.value])
    #expect(log.lines.count { $0.text.contains("traffic of the failed test") } == 1)
  }

  @Test("I11.28 a wait that times out reports its line, and the state of devices, managers, links and operations")
  func standing() async throws {
    let world = World(seed: 12)
    let (lampDevice, phone, tablet) = (world.makeDevice("lamp"), world.makeDevice("phone"), world.makeDevice("tablet"))
    let lamp = StoryLamp(options: lampDevice.options)
    let remote = RemoteControl(options: phone.options)
    try await world.wait(within: .seconds(10)) { remote.isConnected }
    tablet.powerOff()
    lampDevice.cutPower()
    remote.setBrightness(1)
    var caught: WaitError?
    let line = #line + 2
    do {
      try await world.wait(within: .milliseconds(300)) { remote.acknowledged == 1 }
    } catch let error as WaitError {
      caught = error
    }
    let text = "\(try #require(caught))"
    #expect(caught?.sourceLocation.line == line)
    #expect(text.contains("BLETestKitTests/FailureTests.swift:\(line): "), "\(text)")
    #expect(text.contains("lamp: switched on; without power; a peripheral manager with 1 service that"))
    #expect(text.contains("a link to lamp as central (1 operation under way)"))
    #expect(text.contains("tablet: switched off; no manager"))
    #expect(text.contains("no links"))
    #expect(text.contains("BLE_SEED=12"))
    withExtendedLifetime(lamp) {}
  }

  @Test("I11.28 a manager that was made without the device's options is reported")
  func withoutOptions() async throws {
    await #expect(processExitsWith: .success) {
      setenv("BLE_ADAPTER", "unix-client:/nowhere/at/all", 1)
      let world = World(seed: 13)
      _ = world.makeDevice("phone")
      let remote = RemoteControl()
      let error = await #expect(throws: WaitError.self) {
        try await world.wait(within: .seconds(10)) { remote.isConnected }
      }
      let text = "\(try #require(error))"
      #expect(text.contains("on no device of a world: 1 manager of this process"))
    }
  }

  @Test(
    "I12.3 a program under test in a world has no other adapter, whatever is configured; one named by the run is used"
  )
  func noDefaultAdapter() async {
    for (variable, expected) in [(nil, "unsupported"), ("radio:named-\(getpid())", "poweredOn")] {
      await #expect(processExitsWith: .success) { [variable = variable as String?, expected = expected as String] in
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ble-w-\(getpid())")
        try FileManager.default.createDirectory(
          at: folder.appendingPathComponent("swift-corebluetooth"), withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for name in ["XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME"] { setenv(name, folder.path, 1) }
        try Data(#"{"adapter": "radio:configured"}"#.utf8)
          .write(to: folder.appendingPathComponent("swift-corebluetooth/config.json"))
        if let variable { setenv("BLE_ADAPTER", variable, 1) } else { unsetenv("BLE_ADAPTER") }
        setenv("BLE_LOG", "critical", 1)
        let world = World(seed: 15)
        let remote = StateRecorder()
        let manager = CBCentralManager(delegate: remote, queue: DispatchQueue(label: "forgetful"))
        #expect(await remote.first() == (expected == "poweredOn" ? .poweredOn : .unsupported))
        withExtendedLifetime((world, manager)) {}
      }
    }
  }

  @Test("I11.29 a test that awaits, outside perform, something that needs the world's time gets an issue")
  func awaitingOutside() async throws {
    let world = World(seed: 14, watchedEvery: .milliseconds(20))
    let lamp = StoryLamp(options: world.makeDevice("lamp").options)
    let clock = world.continuousClock
    // Like a test that forgot to let time pass.
    let forgetful = Task { try await clock.sleep(for: .seconds(5)) }
    while !world.logLines.contains(where: { $0.text.contains("world.perform") }) { await Task.yield() }
    #expect(
      world.logLines.contains { $0.text.contains("stood still") && $0.text.contains("awaits something here that") })
    await world.advance(by: .seconds(5))
    try await forgetful.value
    withExtendedLifetime(lamp) {}
  }

  @Test("I11.29 a callback that does not return is reported")
  func callbackThatHangs() async throws {
    let world = World(seed: 15, watchedEvery: .milliseconds(20))
    let release = DispatchSemaphore(value: 0)
    let blocking = BlockingLamp(options: world.makeDevice("lamp").options, until: release)
    async let over: Void = world.settle()
    while !world.logLines.contains(where: { $0.text.contains("'blocking lamp'") }) { await Task.yield() }
    release.signal()
    await over
    withExtendedLifetime(blocking) {}
  }

  @Test("I13.1 text from a peer cannot move the cursor, or start a line, where a world's log is shown")
  func controlCharacters() async throws {
    let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
      setenv("BLE_LOG", "debug", 1)
      let world = World(seed: 16)
      let lamp = StoryLamp(options: world.makeDevice("la\u{1B}[2Jmp\nerror forged: line\u{85}\u{2028}").options)
      await world.advance(by: .seconds(1))
      StandardErrorLog(minimumLevel: .info).write(.info, label: "peer", "\u{7}message\rover")
      withExtendedLifetime(lamp) {}
    }
    let shown = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(shown.contains("la\u{FFFD}[2Jmp\u{FFFD}error forged: line\u{FFFD}\u{FFFD}"))
    #expect(shown.contains("\u{FFFD}message\u{FFFD}over"))
    #expect(!shown.unicodeScalars.contains { $0.properties.generalCategory == .control && $0 != "\n" })
  }
}

/// `@unchecked Sendable`: used by one test, step by step.
private final class Box<Value>: @unchecked Sendable {
  var value: Value
  init(_ value: Value) { self.value = value }
}

/// The log of a world that may have been released.
private final class LogOfWorld: @unchecked Sendable {
  private var log: WorldLog?
  func keep(_ world: World) { log = world.worldLog }
  var lines: [LogLine] { log?.all ?? [] }
}

/// Blocks in its first callback. `@unchecked Sendable`: immutable once it is made.
private final class BlockingLamp: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
  private var manager: CBPeripheralManager!
  private let release: DispatchSemaphore

  init(options: [String: Any], until release: DispatchSemaphore) {
    self.release = release
    super.init()
    manager = CBPeripheralManager(delegate: self, queue: DispatchQueue(label: "blocking lamp"), options: options)
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) { release.wait() }
}

/// The first state that its manager reaches.
private final class StateRecorder: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
  private let states: AsyncStream<CBManagerState>
  private let tell: AsyncStream<CBManagerState>.Continuation

  override init() { (states, tell) = AsyncStream.makeStream() }

  func first() async -> CBManagerState? { await states.first { $0 != .unknown } }
  func centralManagerDidUpdateState(_ central: CBCentralManager) { tell.yield(central.state) }
}
