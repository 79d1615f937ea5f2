import BLESession
import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("A2: devices from before", .keepsCapture)
struct RememberingTests {
  private static let configuration = SessionConfiguration(
    policy: ReconnectPolicy(budget: .seconds(20), backOff: .init(jitter: 0)))

  private static func inFolder(_ body: (FileMemory) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(FileMemory(file: folder.appendingPathComponent("devices.json")))
  }

  @Test("R2.3 a restarted program gets its last device back by its identifier, beside one of the same name")
  func restartedProgram() async throws {
    try await Self.inFolder { memory in
      let world = World()
      let scene = await SessionScene.make(in: world, configuration: Self.configuration, memory: memory)
      try await scene.connect()
      let identifier = try #require(await scene.session.identifier)
      let (twin, _) = Devices.chat(on: world.makeDevice("twin"))
      scene.phone.terminateProcess()

      let later = Central(options: scene.phone.options, clock: world.clock, memory: memory)
      let session = try #require(
        try await world.perform { try await later.lastSession(configuration: Self.configuration) })
      let diary = await Diary.of(session)
      session.keepConnected()
      try await world.wait(within: .seconds(20)) { diary.state == .ready }
      let found = await session.identifier
      #expect(found == identifier && diary.readies == [.automatic])
      #expect(twin.centrals.isEmpty)
      try await world.perform { try await later.forget(identifier) }
      let nothing = try await world.perform { try await later.lastSession() }
      #expect(nothing == nil)
      withExtendedLifetime(scene) {}
    }
  }

  @Test("R2.3 where identifiers do not last, a device with a unique name is found by it, and by nothing else")
  func restartedWorld() async throws {
    try await Self.inFolder { memory in
      do {
        let scene = await SessionScene.make(configuration: Self.configuration, memory: memory)
        try await scene.connect()
      }
      // Another machine as far as known peers are concerned: only the file is the same.
      let world = World()
      let (peripheral, _) = Devices.chat(on: world.makeDevice("other"))
      let beacon = PeripheralApp("My dear lamp", on: world.makeDevice("lamp"))
      let central = Central(options: world.makeDevice("phone").options, clock: world.clock, memory: memory)
      await world.settle()
      let before = try #require(try memory.devices().first)

      let strict = try #require(
        try await world.perform { try await central.lastSession(configuration: Self.configuration) })
      #expect(try await world.failure(within: .seconds(30)) { try await strict.connect() }?.code == .budgetSpent)

      let named = try #require(
        try await world.perform { try await central.lastSession(by: .name, configuration: Self.configuration) })
      let diary = await Diary.of(named)
      named.keepConnected()
      try await world.wait(within: .seconds(20)) { diary.state == .ready }
      #expect(diary.readies == [.automatic])
      // From now on it is remembered under its identifier on this machine.
      let after = try #require(try memory.devices().first)
      let identifier = await named.identifier
      #expect(after.identifier == identifier && after.identifier != before.identifier && after.name == "My dear")
      withExtendedLifetime((peripheral, beacon)) {}
    }
  }

  @Test("R2.12 with nothing stored it scans, and stops by itself after exactly 4 s")
  func firstStart() async throws {
    let world = World()
    let phone = world.makeDevice("phone")
    let (peripheral, _) = Devices.chat(on: world.makeDevice("other"))
    phone.powerOff()
    let central = Central(options: phone.options, clock: world.clock, memory: VolatileMemory())
    let last = try await world.perform { try await central.lastSession() }
    #expect(last == nil)

    let began = Locked<Duration?>(nil)
    let (clock, power) = (world.clock, central)
    let watching = world.start {
      for await state in power.states() where state == .poweredOn { began.value = clock.now }
    }
    defer { watching.cancel() }
    let list = central.list(for: .seconds(4))
    let names = Locked<[String?]>([])
    let scan = world.start {
      for await discovery in central.discoveries(for: .seconds(4)) { names.change { $0.append(discovery.name) } }
    }
    // The time is that of scanning: while Bluetooth is off nothing is received.
    await world.advance(by: .seconds(30))
    #expect(!scan.isOver)
    phone.powerOn()
    try await world.wait(within: .seconds(5)) { names.value == ["My dear"] || scan.isOver }
    let start = try #require(began.value)
    await world.advance(by: start + .seconds(4) - .nanoseconds(1) - world.now)
    var isScanning = await central.isScanning
    #expect(isScanning && !scan.isOver)
    await world.advance(by: .nanoseconds(1))
    isScanning = await central.isScanning
    #expect(!isScanning && scan.isOver)
    let listed = await list.devices.map(\.discovery.name)
    #expect(names.value == ["My dear"] && listed == ["My dear"])
    withExtendedLifetime(peripheral) {}
  }
}
