import BLESession
import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

extension WorldClock: SessionClock {}
extension WorldTimer: SessionTimer {}

/// A phone whose program is a `Central` with one session, and the device of that session.
struct SessionScene {
  let world: World
  let phone: Device
  let other: Device
  let peripheral: PeripheralApp
  let line: CBMutableCharacteristic
  let central: Central
  let session: DeviceSession
  let diary: Diary

  static let line = CharacteristicPath("FF22", in: "FF11")

  static func make(
    in world: World = World(), target: DeviceTarget = .first(.names(["My dear"])),
    configuration: SessionConfiguration = SessionConfiguration(), memory: (any PeripheralMemory)? = nil
  ) async -> SessionScene {
    let phone = world.makeDevice("phone")
    let other = world.makeDevice("other")
    let (peripheral, line) = Devices.chat(on: other)
    let central = Central(options: phone.options, clock: world.clock, memory: memory)
    await world.settle()
    let session = central.session(with: target, configuration: configuration)
    let diary = await Diary.of(session)
    return SessionScene(
      world: world, phone: phone, other: other, peripheral: peripheral, line: line, central: central, session: session,
      diary: diary)
  }

  /// The same, connected.
  static func connected(
    in world: World = World(), configuration: SessionConfiguration = SessionConfiguration(),
    memory: (any PeripheralMemory)? = nil
  ) async throws -> SessionScene {
    let scene = await make(in: world, configuration: configuration, memory: memory)
    try await scene.connect()
    return scene
  }

  func connect() async throws {
    let session = session
    try await world.perform { try await session.connect() }
  }

  func disconnect() async throws {
    let session = session
    try await world.perform { await session.disconnect() }
  }

  /// Runs until the session is in `state`.
  func wait(for state: SessionState, within limit: Duration = .seconds(120)) async throws {
    let diary = diary
    try await world.wait(within: limit) { diary.state == state }
  }
}

/// The events of a session, with the time to the nanosecond.
final class Diary: Sendable {
  private let entries = Locked<[TimedEvent]>([])

  static func of(_ session: DeviceSession) async -> Diary {
    let diary = Diary()
    await session.observe { event in diary.entries.change { $0.append(event) } }
    return diary
  }

  var all: [TimedEvent] { entries.value }
  var state: SessionState {
    for entry in all.reversed() { if case .state(let state) = entry.event { return state } }
    return .idle
  }

  func times(_ matches: (SessionEvent) -> Bool) -> [Duration] { all.filter { matches($0.event) }.map(\.time) }

  var readies: [ConnectionOrigin] {
    all.compactMap { if case .ready(let origin) = $0.event { origin } else { nil } }
  }
  var losses: [DisconnectReason] {
    all.compactMap { if case .disconnected(let reason) = $0.event { reason } else { nil } }
  }
  func time(of state: SessionState) -> Duration? {
    times { if case .state(state) = $0 { true } else { false } }.last
  }
}

extension World {
  /// The session's error that `body` ends with.
  func failure<Value: Sendable>(
    within limit: Duration, of body: @escaping @Sendable () async throws -> Value
  ) async throws -> SessionError? {
    let task = start(body)
    try await wait(within: limit) { task.isOver }
    return task.error(as: SessionError.self)
  }
}

/// A value behind a lock.
///
/// `@unchecked Sendable`: touched under the lock only.
final class Locked<Value>: @unchecked Sendable {
  private let lock = NSLock()
  private var content: Value
  init(_ value: Value) { content = value }
  var value: Value {
    get { lock.withLock { content } }
    set { lock.withLock { content = newValue } }
  }
  func change(_ body: (inout Value) -> Void) { lock.withLock { body(&content) } }
}
