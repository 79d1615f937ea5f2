import BLESession
import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("A4: one central, permission and power", .keepsCapture)
struct AvailabilityTests {
  /// What Core Bluetooth logged as misuse, and what would have made the system prompt the user.
  private static func complaints(in world: World) -> [String] {
    world.logLines.map(\.text).filter { $0.contains("API MISUSE") || $0.contains("asks to switch it on") }
  }

  @Test("R4.2 all callbacks come on one serial queue that belongs to the central, never on the main thread")
  func queue() async throws {
    let world = World()
    let scene = await SessionScene.make(in: world)
    let inside = Locked(0)
    let problems = Locked<[String]>([])
    @Sendable func enter() {
      inside.change { $0 += 1 }
      if inside.value != 1 { problems.change { $0.append("two at once") } }
      if Thread.isMainThread { problems.change { $0.append("main thread") } }
      inside.change { $0 -= 1 }
    }
    let calls = Locked(0)
    await scene.session.observe { _ in
      enter()
      calls.change { $0 += 1 }
    }
    let other = scene.central.session(with: .device(UUID()))
    await other.observe { _ in
      enter()
      calls.change { $0 += 1 }
    }
    other.keepConnected()
    try await scene.connect()
    scene.phone.powerOff()
    try await scene.wait(for: .stopped(.poweredOff))
    #expect(calls.value > 10 && problems.value.isEmpty)
  }

  @Test("R4.2 the system shows its power alert once, where the application wants it", arguments: [true, false])
  func powerAlert(isWanted: Bool) async {
    let world = World()
    let phone = world.makeDevice("phone")
    phone.powerOff()
    let central = Central(showsPowerAlert: isWanted, options: phone.options, clock: world.clock)
    await world.advance(by: .seconds(2))
    let state = await central.state
    #expect(state == .poweredOff)
    #expect(Self.complaints(in: world).count == (isWanted ? 1 : 0))
  }

  @Test("R4.2 with a restore identifier the next process takes over the connections of the killed one")
  func restoring() async throws {
    let world = World()
    let phone = world.makeDevice("phone")
    let (peripheral, _) = Devices.chat(on: world.makeDevice("other"))
    let first = Central(restoreIdentifier: "main", options: phone.options, clock: world.clock)
    await world.settle()
    let dead = first.session(with: .first(.names(["My dear"])))
    try await world.perform { try await dead.connect() }
    let identifier = try #require(await dead.identifier)
    phone.terminateProcess()

    let central = Central(restoreIdentifier: "main", options: phone.options, clock: world.clock)
    await world.settle()
    let restored = await central.restoredDevices
    #expect(restored == [identifier])
    let session = central.session(with: .device(restored[0]))
    let diary = await Diary.of(session)
    session.keepConnected()
    try await world.wait(within: .seconds(20)) { diary.state == .ready }
    #expect(diary.readies == [.automatic])
    #expect(Self.complaints(in: world).isEmpty)
    withExtendedLifetime((first, dead, peripheral)) {}
  }

  @Test("R4.12 without permission every call reports what is missing and how to grant it, and works once it is granted")
  func permission() async throws {
    let world = World()
    let phone = world.makeDevice("phone")
    let (other, _) = Devices.chat(on: world.makeDevice("other"))
    phone.denyBluetooth()
    let central = Central(options: phone.options, clock: world.clock)
    let session = central.session(with: .first(.names(["My dear"])))
    let peripheral = PeripheralSession(services: [], options: phone.options, clock: world.clock)
    let kept = central.session(with: .first(.names(["My dear"])))
    let diary = await Diary.of(kept)
    kept.keepConnected()
    let failures = [
      world.start { try await central.ready() }, world.start { try await central.ready(waitsForPower: true) },
      world.start { try await session.connect() }, world.start { try await peripheral.start() },
    ]
    await world.advance(by: .seconds(2))
    for failure in failures {
      let error = try #require(failure.error(as: SessionError.self))
      #expect(error.code == .unavailable)
      #expect(error.localizedDescription.contains("no permission to use Bluetooth: give it with sudo setcap"))
    }
    #expect(diary.state == .stopped(.unauthorized))
    #expect(Self.complaints(in: world).isEmpty)

    phone.allowBluetooth()
    try await world.wait(within: .seconds(20)) { diary.state == .ready }
    try await world.perform { try await central.ready() }
    withExtendedLifetime(other) {}
  }

  @Test("R4.12 where there is no Bluetooth every call reports that")
  func unsupported() async throws {
    let world = World()
    let phone = world.makeDevice("phone")
    phone.removeController()
    await world.advance(by: .seconds(120))
    let central = Central(options: phone.options, clock: world.clock)
    let error = try #require(
      try await world.failure(within: .seconds(5)) { try await central.ready(waitsForPower: true) })
    #expect(error.code == .unavailable && error.message.contains("Bluetooth Low Energy is not available"))
  }

  @Test("R4.13 with Bluetooth off nothing is called that would make the system prompt the user, whatever is requested")
  func poweredOff() async throws {
    let world = World()
    let phone = world.makeDevice("phone")
    phone.powerOff()
    let central = Central(options: phone.options, clock: world.clock)
    let peripheral = PeripheralSession(
      services: [ServiceDeclaration(CBUUID(string: "FF30"), [.fixed(CBUUID(string: "FF31"), Data([1]))])],
      options: phone.options, clock: world.clock)
    await world.advance(by: .seconds(1))
    let configuration = SessionConfiguration(services: [CBUUID(string: "FF11")])
    try await askForEverything(of: central, peripheral, configuration, in: world)
    #expect(Self.complaints(in: world).isEmpty)
  }

  @Test(
    "R4.13 the same holds where Bluetooth is switched off during operations",
    arguments: [0, 50, 250, 500, 1_000, 2_000, 3_000])
  func switchedOff(after milliseconds: Int) async throws {
    let world = World()
    let configuration = SessionConfiguration(services: [CBUUID(string: "FF11")])
    let scene = await SessionScene.make(in: world, configuration: configuration)
    let peripheral = PeripheralSession(services: [], options: scene.phone.options, clock: world.clock)
    let list = scene.central.list(for: .seconds(2))
    let session = scene.session
    let commands = CommandQueue(session, commandPath: SessionScene.line, answerPath: SessionScene.line)
    let tasks = [
      world.start { try await session.connect() },
      world.start { try await peripheral.start(advertising: AdvertisingPlan(localName: "phone")) },
      world.start { for await _ in session.notifications(from: SessionScene.line) {} },
      world.start { for await _ in session.signalStrengths(every: .milliseconds(100)) {} },
      world.start { while true { _ = try await session.read(SessionScene.line) } },
      world.start { while true { _ = try await commands.send(Command(Data([1]), answer: nil)) } },
    ]
    await world.advance(by: .milliseconds(milliseconds))
    scene.phone.powerOff()
    await world.advance(by: .seconds(1))
    try await askForEverything(of: scene.central, peripheral, configuration, in: world)
    #expect(Self.complaints(in: world).isEmpty)
    tasks.forEach { $0.cancel() }
    await world.advance(by: .seconds(5))
    withExtendedLifetime(list) {}
  }

  private func askForEverything(
    of central: Central, _ peripheral: PeripheralSession, _ configuration: SessionConfiguration, in world: World
  ) async throws {
    do {
      let session = central.session(with: .first(.any), configuration: configuration)
      let commands = CommandQueue(session, commandPath: SessionScene.line, answerPath: SessionScene.line)
      let list = central.list(for: .seconds(1))
      let listening = [
        world.start { for await _ in central.discoveries(repeats: true, for: .seconds(1)) {} },
        world.start { for await _ in session.notifications(from: SessionScene.line) {} },
        world.start { for await _ in session.signalStrengths() {} },
      ]
      let failures: [WorldTask<Void>] = [
        world.start { try await session.connect() }, world.start { _ = try await session.read(SessionScene.line) },
        world.start { try await session.write(Data([1]), to: SessionScene.line) },
        world.start { try await session.writeWithoutResponse(Data([1]), to: SessionScene.line) },
        world.start { _ = try await session.readRSSI() },
        world.start { _ = try await commands.send(Command(Data([1]), answer: nil)) },
        world.start { try await peripheral.start(advertising: AdvertisingPlan(localName: "phone")) },
        world.start { try await peripheral.push(Data([1]), to: CharacteristicPath("FF31")) },
      ]
      await world.advance(by: .seconds(2))
      for (number, failure) in failures.enumerated() {
        #expect(failure.isOver && failure.error(as: SessionError.self) != nil, "call \(number)")
      }
      let connected = await central.connectedDevices(withServices: [CBUUID(string: "FF11")])
      #expect(connected.isEmpty)
      session.keepConnected()
      await world.advance(by: .seconds(2))
      try await world.perform { await session.disconnect() }
      peripheral.stopAdvertising()
      list.stop()
      listening.forEach { $0.cancel() }
      await world.advance(by: .seconds(2))
    }
    // Everything was cancelled; ending it makes no call that prompts either.
    await world.advance(by: .seconds(2))
  }
}
