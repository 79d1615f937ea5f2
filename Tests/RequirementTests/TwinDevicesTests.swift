import BLESession
import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("A4: two devices of one kind and name", .keepsCapture)
struct TwinDevicesTests {
  /// Two wristbands, a phone, and another program on that phone that is connected to the first band all the time.
  private struct Scene {
    let world: World
    let bands: [Band]
    let central: Central
    let occupant: CentralApp

    init(in world: World) async throws {
      self.world = world
      bands = [Band("0001", in: world), Band("0002", in: world)]
      let phone = world.makeDevice("phone")
      occupant = CentralApp(phone.options)
      central = Central(options: phone.options, clock: world.clock)
      bands[1].device.cutPower()
      await world.settle()
      occupant.manager.scanForPeripherals(withServices: nil)
      let occupant = occupant
      try await world.wait(within: .seconds(5)) { !occupant.sightings.isEmpty }
      occupant.manager.stopScan()
      let found = occupant.sightings[0].peripheral
      try await occupant.connect(to: found, in: world)
      // Connected, the first one does not advertise: no scan finds it.
      bands[0].program.manager.stopAdvertising()
      bands[1].device.restorePower()
      await world.advance(by: .seconds(1))
    }

    /// A session with whichever band claims to be that one.
    func session(with band: Int) -> DeviceSession {
      central.session(
        with: .first(.names([Band.name])),
        configuration: SessionConfiguration(
          policy: ReconnectPolicy(backOff: .init(first: .milliseconds(100), jitter: 0)), services: Band.services,
          identity: .serialNumber(bands[band].serialNumber)))
    }
  }

  private static func command(_ number: Int, for band: Int) -> Command {
    let content = Data([UInt8(band + 1)]) + UInt32(number).octets(order: .bigEndian)
    return Command(content, answer: .exactly(Data([content[0] | 0x80]) + content.dropFirst()))
  }

  @Test("R4.3 a device that is already connected is found by its service, and must identify itself before any command")
  func connectedAlready() async throws {
    let world = World()
    let scene = try await Scene(in: world)
    let connected = await scene.central.connectedDevices(withServices: [CBUUID(string: "FFE0")])
    #expect(connected.map(\.name) == [Band.name])
    let first = scene.session(with: 0)
    try await world.perform { try await first.connect() }
    let identifier = await first.identifier
    #expect(identifier == connected[0].identifier)
    try await world.perform { await first.disconnect() }

    let second = scene.session(with: 1)
    let diary = await Diary.of(second)
    try await world.perform { try await second.connect() }
    let other = await second.identifier
    #expect(other != identifier)
    // The connected one was asked first, and then left alone.
    let failures = diary.all.compactMap { event -> SessionError? in
      guard case .attemptFailed(_, let error) = event.event else { return nil }
      return error as? SessionError
    }
    #expect(failures.map(\.code) == [.notVerified])
    #expect(failures[0].message == "this is another device: the value of 180A/2A25 is 30303031")
    #expect(scene.bands.allSatisfy { $0.told.value.isEmpty })
    #expect(scene.occupant.sightings[0].peripheral.state == .connected)
  }

  @Test("R4.3 the wrong device is never taken, however long the right one is absent")
  func wrongOneOnly() async throws {
    let world = World()
    let scene = try await Scene(in: world)
    scene.bands[1].device.cutPower()
    let session = scene.session(with: 1)
    let error = try #require(try await world.failure(within: .seconds(70)) { try await session.connect() })
    #expect(error.code == .budgetSpent)
    #expect((error.underlying as? SessionError)?.code == .notVerified)
    // By its identifier no other device can be meant: that fails immediately.
    let known = try #require(await scene.central.connectedDevices(withServices: Band.services).first)
    let pinned = scene.central.session(
      with: .device(known.identifier),
      configuration: SessionConfiguration(services: Band.services, identity: .serialNumber("0002")))
    #expect(try await world.failure(within: .seconds(5)) { try await pinned.connect() }?.code == .notVerified)
    #expect(scene.bands.allSatisfy { $0.told.value.isEmpty })
  }

  @Test("R4.3 two identical devices, switched 1,000 times: no command goes to the wrong one")
  func switching() async throws {
    let world = World(seed: 43, keepsPackets: false)
    let scene = try await Scene(in: world)
    let answered = Locked([[Int]](repeating: [], count: 2))
    for number in 0..<1_000 {
      // Not simply in alternation.
      let band = (number * 7 / 5 + number / 3) % 2
      let session = scene.session(with: band)
      let commands = CommandQueue(session, commandPath: Band.line, answerPath: Band.line)
      try await world.perform { try await session.connect() }
      if number % 3 == 2 {
        // Switched while a command is pending.
        let hasty = world.start { _ = try await commands.send(Self.command(number, for: band)) }
        await world.advance(by: .milliseconds(number % 50))
        if number % 2 == 0 { hasty.cancel() }
        try await world.perform { await session.disconnect() }
        try await world.wait(within: .seconds(1)) { hasty.isOver }
      } else {
        _ = try await world.perform { try await commands.send(Self.command(number, for: band)) }
        answered.change { $0[band].append(number) }
        try await world.perform { await session.disconnect() }
      }
    }
    for band in 0..<2 {
      let told = scene.bands[band].told.value
      #expect(told.allSatisfy { $0.first == UInt8(band + 1) })
      let numbers = told.compactMap { UInt32(octets: $0.dropFirst(), order: .bigEndian).map { Int($0) } }
      #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
      #expect(Set(answered.value[band]).isSubset(of: numbers) && answered.value[band].count > 200)
    }
  }

  @Test("R4.3 both connected, with 1,000 commands in turn: no command and no answer goes to the wrong one")
  func together() async throws {
    let world = World(seed: 44, keepsPackets: false)
    let scene = try await Scene(in: world)
    let sessions = [scene.session(with: 0), scene.session(with: 1)]
    let queues = sessions.map { CommandQueue($0, commandPath: Band.line, answerPath: Band.line) }
    try await world.perform {
      async let first: Void = sessions[0].connect()
      async let second: Void = sessions[1].connect()
      _ = try await (first, second)
    }
    try await world.perform(within: .seconds(1_000)) {
      for number in 0..<1_000 { _ = try await queues[number % 2].send(Self.command(number, for: number % 2)) }
    }
    for band in 0..<2 {
      let numbers = scene.bands[band].told.value.compactMap { UInt32(octets: $0.dropFirst(), order: .bigEndian) }
      #expect(numbers.map { Int($0) } == (0..<1_000).filter { $0 % 2 == band })
    }
    // No third session gets a device that another one has.
    let third = scene.session(with: 0)
    let diary = await Diary.of(third)
    let pending = world.start { try await third.connect() }
    await world.advance(by: .seconds(5))
    #expect(!pending.isOver && diary.readies.isEmpty)
    try await world.perform { await sessions[0].disconnect() }
    try await world.wait(within: .seconds(20)) { pending.isOver }
    try await pending.value
  }
}
