import BLECore
import BLEVirtualRadio
import CoreBluetooth
import Synchronization
import Testing

/// A world of simulated devices, owned by one test: an air, a clock that moves only when the test says so, and any number of
/// devices whose Bluetooth is the whole stack, down to protocol octets.
///
/// ```swift
/// let world = World()
/// let phone = world.makeDevice("phone")
/// let central = CBCentralManager(delegate: self, queue: queue, options: phone.options)
/// await world.advance(by: .seconds(2))
/// ```
///
/// Everything random comes from `seed`: a run with the same seed and the same program gives the same packets. A test that
/// fails prints its seed and leaves a capture that Wireshark opens; see `withWorld(_:)` and `keepsCapture`.
///
/// Verbs may be called from any thread while no `settle`, `advance` or `wait` is under way; what they do takes effect at its
/// beginning.
///
/// `@unchecked Sendable`: the air belongs to the loop, the rest is immutable or behind its mutex.
public final class World: @unchecked Sendable {
  /// What all randomness of this world comes from. `BLE_SEED` in the environment sets it for worlds that name none.
  public let seed: UInt64
  package let loop: VirtualLoop
  /// On the loop.
  package let air: Air
  let recorder: Recorder
  let recording: WorldCapture
  /// How many managers of this process were on no device of a world when this world began.
  let strangersBefore: Int
  package let worldLog: WorldLog
  let log: Logger
  let executor: WorldExecutor
  private let watch: Task<Void, Never>
  private let devices = Mutex<[Device]>([])
  let scriptedDevices = Mutex<[ScriptedDevice]>([])

  /// - Parameters:
  ///   - seed: the world's seed; without one, `BLE_SEED`, else a new one for each world.
  ///   - keepsPackets: whether the traffic is remembered for a capture. Benchmarks do without.
  ///   - logLevel: log lines below it are not kept.
  public convenience init(seed: UInt64? = nil, keepsPackets: Bool = true, logLevel: LogLevel = .info) {
    self.init(seed: seed, keepsPackets: keepsPackets, logLevel: logLevel, watchedEvery: .seconds(1))
  }

  /// - Parameter interval: the real time between two looks of the watch.
  package init(
    seed: UInt64? = nil, keepsPackets: Bool = true, logLevel: LogLevel = .info, watchedEvery interval: Duration
  ) {
    let worldLog = WorldLog(keeping: logLevel)
    self.worldLog = worldLog
    loop = VirtualLoop { WorldWatch.say(exhausted: $0, worldLog) }
    watch = WorldWatch.start(on: loop, worldLog, every: interval)
    self.seed = seed ?? Self.seedFromEnvironment ?? SystemEntropy().next()
    executor = WorldExecutor(loop: loop)
    air = Air(loop: loop, seed: self.seed)
    recorder = Recorder(isOn: keepsPackets)
    log = Logger(label: "world", sink: worldLog)
    recording = WorldCapture(recorder: recorder, seed: self.seed, log: worldLog)
    strangersBefore = ManagersElsewhere.count
    ManagersElsewhere.enterWorld()
    FailureWatch.current?.enter(self)
  }

  deinit {
    watch.cancel()
    // Radios are on the air, and in memory, until they are closed.
    air.shutDown()
  }

  /// The world's time since its beginning.
  public var now: Duration { .nanoseconds(loop.now.nanoseconds) }

  var allDevices: [Device] { devices.withLock { $0 } }

  /// How fast the world's clock goes.
  public enum Pace: Sendable, Equatable {
    /// From one event to the next, as fast as the machine can: an hour takes seconds, and the same seed is the same run.
    case asFastAsPossible
    /// With the machine's clock, `speed` times as fast; 1 for what is not above 0. For apps with timers of their own (`Timer`, `asyncAfter`,
    /// `Task.sleep`), which go by the machine's clock: at 1 they and the radio agree. What happens when then depends on the machine.
    case realTime(speed: Double = 1)
  }

  /// How fast the clock goes during `settle`, `advance`, `wait` and `perform` that are yet to begin; between them it stands still,
  /// whatever the pace, while the app's own timers go on.
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

  /// A new device at `position`, switched on. What it advertises, its programs say.
  /// - Parameters:
  ///   - name: what the device is called, as the name in a phone's settings: its Device Name in the Generic Access service (Core,
  ///   Vol 3 Part C 12.1), which a central's `CBPeripheral.name` is once that was read. Logs and captures call the device so, too.
  ///   - position: where it is at the beginning.
  ///   - folder: where it keeps what it knows of its peers, as a program on a real machine does; what it met in an
  ///   earlier world with the same folder it knows again. Without one it forgets all at the world's end.
  public func makeDevice(
    _ name: String, at position: Position = .origin, keepingPeersIn folder: String? = nil
  ) -> Device {
    devices.withLock { devices in
      let device = Device(name: name, number: devices.count, world: self, position: position, folder: folder)
      devices.append(device)
      return device
    }
  }

  /// Runs until nothing is under way any more: all callbacks have returned, every operation that was begun and whose peer
  /// answers has ended. What goes on for ever (advertising, scanning, a connection that waits for its peer to turn up)
  /// does not count: for that, `advance` or `wait`.
  /// - Parameter limit: how far the clock may move at the most.
  public func settle(limit: Duration = .seconds(120)) async {
    await loop.run(until: .quiet(limit: loop.now + StackDuration(limit)))
  }

  /// Lets `duration` pass, with all that happens in it.
  public func advance(by duration: Duration) async {
    await loop.run(until: .instant(loop.now + StackDuration(duration)))
  }

  /// Runs until `condition` holds. It is asked while the world stands still. The last three arguments say where the test waits.
  /// - Throws: `WaitError` if it does not within `limit` of the world's time.
  public func wait(
    within limit: Duration, isolation: isolated (any Actor)? = #isolation,
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, for condition: @escaping () -> Bool
  ) async throws {
    let asked = Condition(holds: condition)
    let standing = Mutex("")
    let outcome = await loop.run(until: .condition(limit: loop.now + StackDuration(limit)) { asked.holds() }) {
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

/// `@unchecked Sendable`: asked only while `wait` is under way, whose caller waits for it.
private struct Condition: @unchecked Sendable {
  let holds: () -> Bool
}
