import BLESession
import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("A2: reconnecting a device", .keepsCapture)
struct ReconnectingTests {
  private static let lively = SessionConfiguration(
    policy: ReconnectPolicy(backOff: .init(first: .milliseconds(500), jitter: 0)))

  @Test("R2.1 a connection ends by the user's request, or is lost with the error")
  func reasons() async throws {
    let scene = try await SessionScene.connected(configuration: SessionConfiguration(policy: .manual))
    scene.other.moveAway()
    try await scene.wait(for: .stopped(.lost))
    guard case .lost(let error) = try #require(scene.diary.losses.last) else {
      Issue.record("not lost")
      return
    }
    #expect((error as? CBError)?.code == .connectionTimeout)

    scene.other.comeBack()
    try await scene.connect()
    try await scene.disconnect()
    #expect(scene.diary.losses.count == 2)
    guard case .user = scene.diary.losses[1] else {
      Issue.record("not the user's")
      return
    }
    #expect(scene.diary.state == .stopped(.user))
  }

  @Test(
    "R2.2 R2.9 R2.10 user's and automatic connections are distinguished; a lost one comes back, an ended one does not"
  )
  func origins() async throws {
    let world = World()
    let scene = try await SessionScene.connected(in: world, configuration: Self.lively)
    scene.other.moveAway()
    try await world.wait(within: .seconds(30)) { scene.diary.losses.count == 1 }
    scene.other.comeBack()
    try await scene.wait(for: .ready)
    #expect(scene.diary.readies == [.user, .automatic])

    try await scene.disconnect()
    await world.advance(by: .seconds(120))
    #expect(scene.diary.readies == [.user, .automatic])
    #expect(scene.diary.state == .stopped(.user))
  }

  @Test("R2.6 an attempt has a budget of exactly 60 s, then scanning stops and nothing is pending")
  func budget() async throws {
    let world = World()
    let scene = try await SessionScene.connected(in: world)
    scene.other.cutPower()
    try await world.wait(within: .seconds(30)) { scene.diary.losses.count == 1 }
    let lost = try #require(scene.diary.times { if case .disconnected = $0 { true } else { false } }.last)
    await world.advance(by: lost + .seconds(60) - .nanoseconds(1) - world.now)
    #expect(scene.diary.state.isTrying)
    let isScanning = await scene.central.isScanning
    #expect(isScanning)
    await world.advance(by: .nanoseconds(1))
    #expect(scene.diary.state == .stopped(.budgetSpent))
    #expect(scene.diary.time(of: .stopped(.budgetSpent)) == lost + .seconds(60))
    let scansOn = await scene.central.isScanning
    #expect(!scansOn)

    // Nothing is left that would still reconnect it.
    scene.other.restorePower()
    await world.advance(by: .seconds(120))
    #expect(scene.diary.readies == [.user])
  }

  @Test("R2.7 the user's own choice replaces the pending attempt and has the same budget")
  func userChoice() async throws {
    let world = World()
    let scene = try await SessionScene.connected(in: world)
    scene.other.cutPower()
    try await world.wait(within: .seconds(30)) { scene.diary.losses.count == 1 }
    await world.advance(by: .seconds(40))
    let session = scene.session
    let asked = world.now
    let pending = world.start { try await session.connect() }
    try await scene.wait(for: .stopped(.budgetSpent), within: .seconds(90))
    #expect(scene.diary.time(of: .stopped(.budgetSpent)) == asked + .seconds(60))
    try await world.wait(within: .seconds(1)) { pending.isOver }
    #expect(pending.error(as: SessionError.self)?.code == .budgetSpent)
  }

  @Test(
    "R2.4 R2.5 a remembered device is connected without a request: directly where it is known, else by scanning")
  func keeping() async throws {
    let world = World()
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let memory = FileMemory(file: folder.appendingPathComponent("devices.json"))
    let scene = try await SessionScene.connected(in: world, configuration: Self.lively, memory: memory)
    try await scene.disconnect()

    // Another program, later: it knows the device only from the file.
    let remembered = try #require(memory.devices().first)
    #expect(remembered.name == "My dear")
    let later = Central(options: scene.phone.options, clock: world.clock, memory: memory)
    let session = later.session(with: .remembered(remembered), configuration: Self.lively)
    let diary = await Diary.of(session)
    session.keepConnected()
    try await world.wait(within: .seconds(20)) { diary.state == .ready }
    #expect(diary.readies == [.automatic])
    #expect(!diary.all.contains { if case .state(.searching) = $0.event { true } else { false } })
  }

  @Test("R2.13 power off reports the device as disconnected, power on starts over")
  func power() async throws {
    let scene = try await SessionScene.connected(configuration: Self.lively)
    scene.phone.powerOff()
    try await scene.wait(for: .stopped(.poweredOff))
    #expect(scene.diary.losses.count == 1)
    await scene.world.advance(by: .seconds(30))
    #expect(scene.diary.state == .stopped(.poweredOff))
    scene.phone.powerOn()
    try await scene.wait(for: .ready)
    #expect(scene.diary.readies == [.user, .automatic])
  }

  @Test("R2.10 subscriptions are restored, pending writes are performed, interrupted ones fail once")
  func restoring() async throws {
    let world = World()
    let scene = try await SessionScene.connected(in: world, configuration: Self.lively)
    let heard = Locked<[String]>([])
    let session = scene.session
    let listening = world.start {
      for await value in session.notifications(from: SessionScene.line, buffering: .all) {
        heard.change { $0.append(String(decoding: value, as: UTF8.self)) }
      }
    }
    defer { listening.cancel() }
    try await world.wait(within: .seconds(5)) { !scene.peripheral.centrals.isEmpty }

    scene.peripheral.answersRequests = false
    let interrupted = world.start { try await session.read(SessionScene.line) }
    let waiting = world.start { try await session.write(Data("later".utf8), to: SessionScene.line) }
    await world.settle()
    scene.other.moveAway()
    try await world.wait(within: .seconds(30)) { scene.diary.losses.count == 1 && interrupted.isOver }
    #expect(interrupted.error(as: SessionError.self)?.code == .connectionLost)
    #expect(!waiting.isOver)
    scene.peripheral.answersRequests = true
    scene.other.comeBack()
    try await scene.wait(for: .ready)
    try await world.wait(within: .seconds(5)) { waiting.isOver }
    try await waiting.value
    #expect(scene.peripheral.values[SessionScene.line.characteristic] == Data("later".utf8))
    scene.peripheral.queue.sync {
      _ = scene.peripheral.manager.updateValue(Data("again".utf8), for: scene.line, onSubscribedCentrals: nil)
    }
    try await world.wait(within: .seconds(5)) { heard.value == ["again"] }
  }

  @Test("R2.1 I12.2 a change of services that is delivered after the user has ended the session starts no discovery")
  func changeDuringDisconnection() async throws {
    let scene = try await SessionScene.connected()
    let (session, lines) = (scene.session, scene.world.logLines.count)
    let disconnection = scene.world.start {
      // The callback was on the way to the queue when the session was ended.
      session.core.perform { core in
        let peripheral = core.peripheral
        core.disconnect(nil)
        if let peripheral { core.peripheral(peripheral, didModifyServices: []) }
      }
      await session.disconnect()
    }
    await scene.world.advance(by: .seconds(10))
    #expect(disconnection.isOver && scene.diary.state == .stopped(.user))
    #expect(!scene.world.logLines.dropFirst(lines).contains { $0.text.hasPrefix("API MISUSE") })
  }
}
