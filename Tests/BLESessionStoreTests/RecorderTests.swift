import BLESession
import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@testable import BLESessionStore

@Suite("Recording over the radio", .keepsCapture)
struct RecorderTests {
  private let folder: Folder
  private let world = World()

  init() throws { folder = try Folder() }

  private static let line = CharacteristicPath("FFF1", in: "FFF0")

  /// A peripheral that answers reads with "asked".
  private static func counter(on device: Device) -> PeripheralApp {
    let line = CBMutableCharacteristic("FFF1", [.notify, .read])
    let app = PeripheralApp("counter", on: device, services: [CBMutableService("FFF0", [line])])
    app.value = Data("asked".utf8)
    return app
  }

  @Test("Connections are recorded with origin, times and reason, and values, signals and events with them")
  func connectionsAreRecordedWithOrigin()
    async throws
  {
    let (phone, other) = (world.makeDevice("phone"), world.makeDevice("other"))
    let counter = Self.counter(on: other)
    let world = world
    let now: @Sendable () -> Date = { Sample.start.addingTimeInterval(Double(world.now.milliseconds) / 1_000) }
    let central = Central(options: phone.options, clock: world.clock)
    await world.settle()
    let session = central.session(with: .first(.names(["counter"])))
    let store = try SessionStore(file: folder.file)
    let recorder = try await SessionRecorder.begin(in: store, title: "ride", now: now)
    await recorder.record(session)
    await recorder.recordValues(from: Self.line, of: session)
    await recorder.recordSignal(of: session, every: .seconds(1))
    try await world.perform { try await session.connect() }
    try await world.wait(within: .seconds(10)) { counter.subscribers.count == 1 }
    for number in 1...10 {
      counter.push(Data("\(number)".utf8), "FFF1")
      await world.advance(by: .milliseconds(100))
    }
    _ = try await world.perform { try await recorder.read(Self.line, of: session) }
    let lost = world.now
    other.moveAway()
    try await world.wait(within: .seconds(60)) { world.now > lost + .seconds(8) }
    other.comeBack()
    try await world.wait(within: .seconds(60)) { counter.subscribers.count == 2 }
    await world.advance(by: .seconds(3))
    counter.push(Data("11".utf8), "FFF1")
    await world.advance(by: .seconds(1))
    try await world.perform { await session.disconnect() }
    try await recorder.end()
    try await store.close()

    let reader = try StoreReader(file: folder.file)
    let connections = try reader.connections().all()
    #expect(connections.map(\.origin) == [.user, .automatic] && connections.map(\.ending) == [.lost, .user])
    for connection in connections {
      let (ready, ended) = (try #require(connection.ready), try #require(connection.ended))
      #expect(connection.began < ready && ready < ended && connection.deviceName == "counter")
    }
    #expect(connections[0].error?.isEmpty == false && connections[1].error == nil)
    let values = try reader.values().all()
    // The value that was read is there once.
    let texts = (1...10).map(String.init) + ["asked", "11"]
    #expect(values.map { String(decoding: $0.octets, as: UTF8.self) } == texts)
    #expect(values.allSatisfy { $0.service == "FFF0" && $0.characteristic == "FFF1" && $0.instance == 0 })
    let steps = zip(values, values.dropFirst()).prefix(8).map { $1.time.timeIntervalSince($0.time) }
    #expect(steps.allSatisfy { abs($0 - 0.1) < 0.05 }, "\(steps)")
    let signals = try reader.signals().all()
    #expect(signals.count >= 3 && signals.allSatisfy { $0.rssi < 0 && $0.smoothed != nil && $0.source == .connection })
    let states = try reader.events(StoreFilter(kind: "state")).all().compactMap(\.detail)
    #expect(states.first == "searching" && states.last == "stopped: user" && states.filter { $0 == "ready" }.count == 2)
    let device = try #require(try reader.devices().all().first)
    #expect(device.name == "counter" && device.identifier == connections[0].device)
    #expect(try reader.sessions().all().map(\.ending) == [.ended])
    #expect(try reader.damages() == [])
  }

  @Test("A connection that never became usable is recorded as failed")
  func aConnectionThatNeverBecameUsableIsRecordedAsFailed() async throws {
    let (phone, other) = (world.makeDevice("phone"), world.makeDevice("other"))
    let counter = Self.counter(on: other)
    let central = Central(options: phone.options, clock: world.clock)
    await world.settle()
    let session = central.session(
      with: .first(.names(["counter"])),
      configuration: SessionConfiguration(
        policy: ReconnectPolicy(budget: .seconds(5), maximumAttempts: 1), services: [CBUUID(string: "180F")]))
    let store = try SessionStore(file: folder.file)
    let recorder = try await SessionRecorder.begin(in: store, title: "wrong device")
    await recorder.record(session)
    let attempt = world.start { try await session.connect() }
    try await world.wait(within: .seconds(60)) { attempt.isOver }
    try await recorder.end()
    let reader = try StoreReader(file: folder.file)
    let connection = try #require(try reader.connections().all().first)
    #expect(connection.ending == .failed && connection.ready == nil)
    #expect(connection.error?.contains("180F") == true)
    #expect(counter.subscribers.isEmpty)
    try await store.close()
  }

  @Test("A scan records advertisers, their data and signal strength")
  func aScanRecordsAdvertisers() async throws {
    let counters = ["a", "b"].map { Self.counter(on: world.makeDevice($0)) }
    let central = Central(options: world.makeDevice("phone").options, clock: world.clock)
    await world.settle()
    let store = try SessionStore(file: folder.file)
    let recorder = try await SessionRecorder.begin(in: store, title: "scan")
    await recorder.recordScan(by: central)
    await world.advance(by: .seconds(10))
    try await recorder.end()
    try await store.close()
    let reader = try StoreReader(file: folder.file)
    let devices = try reader.devices().all()
    #expect(devices.count == 2 && devices.allSatisfy { $0.name == "counter" && $0.services == ["FFF0"] })
    let signals = try reader.signals().all()
    #expect(signals.count >= 10 && signals.allSatisfy { $0.rssi < 0 && $0.source == .advertisement })
    #expect(counters.count == 2)
  }

  @Test("R2.3 R0.15 a device is remembered in the record across restarts")
  func aDeviceIsRememberedInTheRecordAcrossRestarts() async throws {
    let (phone, other) = (world.makeDevice("phone"), world.makeDevice("other"))
    let counter = Self.counter(on: other)
    do {
      let store = try SessionStore(file: folder.file)
      let central = Central(options: phone.options, clock: world.clock, memory: StoreMemory(store: store))
      await world.settle()
      let session = central.session(with: .first(.names(["counter"])))
      try await world.perform { try await session.connect() }
      try await world.perform { await session.disconnect() }
      try await store.close()
    }
    let store = try SessionStore(file: folder.file)
    let memory = StoreMemory(store: store)
    let known = try #require(try memory.devices().first)
    #expect(known.name == "counter")
    let central = Central(options: phone.options, clock: world.clock, memory: memory)
    await world.settle()
    let session = central.session(with: .remembered(known))
    try await world.perform { try await session.connect() }
    #expect(await session.identifier == known.identifier)
    withExtendedLifetime(counter) {}
    try await store.close()
  }
}

@Suite("A memory in a record")
struct StoreMemoryTests {
  @Test("The last device is first, 64 are kept, and removed ones stay in the history")
  func theLastDeviceIsFirst() async throws {
    let folder = try Folder()
    let store = try SessionStore(file: folder.file)
    let memory = StoreMemory(store: store)
    let devices = (0..<70).map { RememberedDevice(identifier: UUID(), name: "device \($0)", address: nil) }
    for device in devices { try memory.remember(device) }
    #expect(try memory.devices() == devices.suffix(64).reversed())
    var renamed = devices[40]
    renamed.name = "'; DROP TABLE device; --\u{0}"
    renamed.address = "C0:12:34:56:78:9A"
    try memory.remember(renamed)
    #expect(try memory.devices().first == renamed)
    #expect(try memory.devices().count == 64)
    try memory.forget(renamed.identifier)
    try memory.forget(UUID())
    #expect(try memory.devices().first == devices[69])
    #expect(try memory.devices().count == 63)
    try await store.close()
    #expect(throws: StoreError.self) { try memory.devices() }
    #expect(try StoreReader(file: folder.file).devices().all().count == 70)
  }
}
