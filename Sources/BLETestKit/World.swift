import BLECore
import BLEVirtualRadio
import CoreBluetooth
import Synchronization
import Testing

/// A world of simulated devices, owned by one test: an air, a clock that advances only when the test says so, and any number of
/// devices with the whole Bluetooth stack, down to the octets of the protocols.
///
/// ```swift
/// let world = World()
/// let phone = world.makeDevice("phone")
/// let central = CBCentralManager(delegate: self, queue: queue, options: phone.options)
/// await world.advance(by: .seconds(2))
/// ```
///
/// All randomness is derived from `seed`: the same seed and the same program give the same packets. A failing test prints its
/// seed and writes a capture that Wireshark opens; see `withWorld(_:)` and `keepsCapture`.
///
/// The methods of devices may be called from any thread while no `settle`, `advance` or `wait` runs; their effect begins with the next one.
///
/// `@unchecked Sendable`: the air belongs to the loop, the rest is immutable or behind its mutex.
public final class World: @unchecked Sendable {
  /// The source of all randomness of this world. `BLE_SEED` in the environment sets it for worlds that are created without one.
  public let seed: UInt64
  package let loop: VirtualLoop
  /// On the loop.
  package let air: Air
  let recorder: Recorder
  let recording: WorldCapture
  /// What happened to its devices.
  let marks: WorldMarks
  /// The calls and callbacks of its programs.
  let programRecord: ProgramRecord
  /// The number of managers of this process that were on no device of a world when this world was created.
  let strangersBefore: Int
  package let worldLog: WorldLog
  let log: Logger
  let executor: WorldExecutor
  private let watch: Task<Void, Never>?
  private let devices = Mutex<[Device]>([])
  let scriptedDevices = Mutex<[ScriptedDevice]>([])
  let surroundings = Mutex(WorldSurroundings())
  let promises = WorldPromises()
  let faultRecord: FaultRecord
  /// Of a world that is explored.
  let trial: WorldTrial?

  /// - Parameters:
  ///   - seed: the world's seed; without one, `BLE_SEED`, else a new one for each world.
  ///   - keepsPackets: whether the traffic is kept for a capture. Benchmarks do without.
  ///   - logLevel: log lines below it are not kept.
  public convenience init(seed: UInt64? = nil, keepsPackets: Bool = true, logLevel: LogLevel = .info) {
    self.init(seed: seed, keepsPackets: keepsPackets, logLevel: logLevel, watchedEvery: .seconds(1))
  }

  /// - Parameter interval: the real time between two checks of the watch.
  package convenience init(
    seed: UInt64? = nil, keepsPackets: Bool = true, logLevel: LogLevel = .info, watchedEvery interval: Duration
  ) {
    self.init(seed: seed, keepsPackets: keepsPackets, logLevel: logLevel, watchedEvery: interval, trial: nil)
  }

  /// A world of an exploration.
  convenience init(seed: UInt64, trial: WorldTrial) {
    self.init(seed: seed, keepsPackets: true, logLevel: .info, watchedEvery: .seconds(1), trial: trial)
  }

  private init(
    seed: UInt64?, keepsPackets: Bool, logLevel: LogLevel, watchedEvery interval: Duration, trial: WorldTrial?
  ) {
    let worldLog = WorldLog(keeping: logLevel)
    self.worldLog = worldLog
    loop = VirtualLoop { WorldWatch.say(exhausted: $0, worldLog) }
    watch =
      trial?.isWatched == true
      ? nil
      : WorldWatch.start(on: loop, worldLog, every: interval) { [promises] now in
        promises.rules.callbacksAreStuck(at: now)
      }
    let seed = seed ?? Self.seedFromEnvironment ?? SystemEntropy().next()
    self.seed = seed
    executor = WorldExecutor(loop: loop)
    air = Air(loop: loop, seed: seed)
    recorder = Recorder(isOn: keepsPackets, trial?.capture.flatMap { WorldCapture.writer(for: $0, seed: seed) })
    log = Logger(label: "world", sink: worldLog)
    marks = WorldMarks(beside: recorder)
    faultRecord = FaultRecord(marks)
    programRecord = ProgramRecord(beside: recorder, marks)
    recording = WorldCapture(
      recorder: recorder, programs: programRecord, marks: marks, seed: seed, log: worldLog)
    strangersBefore = ManagersElsewhere.count
    self.trial = trial
    ManagersElsewhere.enterWorld()
    guard let trial else {
      FailureWatch.current?.enter(self)
      return
    }
    loop.setWatch { [promises] now in trial.look(at: now, promises) }
    trial.stage.begin(in: self)
  }

  deinit {
    watch?.cancel()
    recorder.end()
    // Stacks and their managers' roles refer to each other until they are closed, as radios and the air do.
    for device in allDevices { device.stack.abandon() }
    air.shutDown()
    loop.end()
  }

  /// The world's time since its beginning.
  public var now: Duration { .nanoseconds(loop.now.nanoseconds) }

  var allDevices: [Device] { devices.withLock { $0 } }

  /// How fast the world's clock advances.
  public enum Pace: Sendable, Equatable {
    /// From one event to the next, as fast as the machine can: an hour takes seconds, and the same seed is the same run.
    case asFastAsPossible
    /// With the machine's clock, `speed` times as fast; values of 0 and below count as 1. For apps with timers of their own
    /// (`Timer`, `asyncAfter`, `Task.sleep`), which use the machine's clock: at 1 they agree with the radio. When things happen
    /// then depends on the machine.
    case realTime(speed: Double = 1)
  }

  /// How fast the clock advances in later calls of `settle`, `advance`, `wait` and `perform`; between them it stands still at any
  /// pace, while the app's own timers continue.
  public var pace: Pace {
    get { loop.pace.map { .realTime(speed: $0) } ?? .asFastAsPossible }
    set {
      switch newValue {
      case .asFastAsPossible: loop.setPace(nil)
      case .realTime(let speed):
        loop.setPace(speed > 0 && speed.isFinite ? speed : 1)
      }
    }
  }

  /// Makes a device at `position`, switched on. Its programs define what it advertises.
  /// - Parameters:
  ///   - name: the device's name, as in a phone's settings: its Device Name in the Generic Access service (Core, Vol 3 Part C
  ///     12.1), which is a central's `CBPeripheral.name` once it was read. Also its name in logs and captures.
  ///   - position: where it is at the beginning. Without one it is where the world's setting places it, else at the origin.
  ///   - folder: where it stores its knowledge of peers, as a program on a real machine does. A device of a later world with the
  ///     same folder knows them again. Without a folder that ends with the world.
  public func makeDevice(
    _ name: String, at position: Position? = nil, keepingPeersIn folder: String? = nil
  ) -> Device {
    devices.withLock { devices in
      let device = Device(name: name, number: devices.count, world: self, position: position, folder: folder)
      devices.append(device)
      return device
    }
  }

  @discardableResult
  private func run(
    until goal: VirtualLoop.Goal, finally: (@Sendable (VirtualLoop.Outcome) -> Void)? = nil
  ) async -> VirtualLoop.Outcome {
    let outcome = await loop.run(until: goal) { [self] outcome in
      finally?(outcome)
      // The clock may have advanced since the last instant at which anything happened.
      lookAtPromises()
    }
    await reportPromises()
    return outcome
  }

  /// Runs until nothing is pending: all callbacks have returned, and every operation whose peer answers has ended. What has no
  /// end (advertising, scanning, a pending connection) does not count; use `advance` or `wait` for it.
  /// - Parameter limit: the maximum time by which the clock advances.
  public func settle(limit: Duration = .seconds(120)) async {
    await run(until: .quiet(limit: loop.now + StackDuration(limit)))
  }

  /// Advances the clock by `duration`, with all events in it.
  public func advance(by duration: Duration) async {
    await run(until: .instant(loop.now + StackDuration(duration)))
  }

  /// Runs until `condition` returns true. It is evaluated while the clock stands still. The last three arguments locate the caller.
  /// - Throws: `WaitError` if it does not within `limit` of the world's time.
  public func wait(
    within limit: Duration, isolation: isolated (any Actor)? = #isolation,
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, for condition: @escaping () -> Bool
  ) async throws {
    let asked = Condition(holds: condition)
    let standing = Mutex("")
    let outcome = await run(until: .condition(limit: loop.now + StackDuration(limit)) { asked.holds() }) {
      outcome in
      if outcome == .limitPassed { standing.withLock { $0 = self.describeStanding() } }
    }
    if outcome == .limitPassed {
      throw WaitError(
        limit: limit, now: now, seed: seed,
        sourceLocation: SourceLocation(fileID: fileID, filePath: filePath, line: line, column: 1),
        standing: standing.withLock { $0 })
    }
  }

  private static var seedFromEnvironment: UInt64? {
    environment("BLE_SEED").flatMap { UInt64($0) }
  }
}

/// `@unchecked Sendable`: evaluated only while `wait` runs, whose caller waits for it.
private struct Condition: @unchecked Sendable {
  let holds: () -> Bool
}
