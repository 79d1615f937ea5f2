import BLESession
import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

/// Permission, power, scan, connect, verify, read and write, disconnect: the whole sequence, and the error where one step fails.
@Suite("A4: the whole sequence", .keepsCapture)
struct WholeWayTests {
  private static func configuration(attempts: Int? = nil) -> SessionConfiguration {
    SessionConfiguration(
      policy: ReconnectPolicy(budget: .seconds(30), maximumAttempts: attempts, backOff: .init(jitter: 0)),
      opening: [
        .handshake(
          Data([0x01]), to: SessionScene.line, answerOn: SessionScene.line, answer: .exactly(Data([0x81])),
          timeLimit: .seconds(1), retries: 1)
      ])
  }

  /// A device that proves its identity, keeps what is written and answers each command.
  private static func scene(attempts: Int? = nil) async throws -> VendorScene {
    let scene = try await VendorScene.make(configuration: configuration(attempts: attempts)) { told in
      // 0x10 is a value and no command.
      told == Data([0x10]) ? [] : [(.milliseconds(20), Data([0x80 | told[0]]))]
    }
    await scene.world.settle()
    return scene
  }

  /// Performs the whole sequence; returns which step failed, and with what.
  private static func go(_ vendor: VendorScene) async throws -> (step: String, error: SessionError)? {
    let (central, session, commands) = (vendor.scene.central, vendor.scene.session, vendor.commands)
    let step = Locked("ready")
    let way = vendor.world.start {
      try await central.ready()
      step.value = "connect"
      try await session.connect()
      step.value = "write"
      try await session.write(Data([0x10]), to: SessionScene.line)
      step.value = "read"
      guard try await session.read(SessionScene.line) == Data([0x10]) else {
        throw SessionError(.invalid, "another value than was written")
      }
      step.value = "command"
      guard try await commands.send(Command(Data([0x20]), answer: .exactly(Data([0xA0])))) == Data([0xA0]) else {
        throw SessionError(.invalid, "another answer")
      }
      step.value = "disconnect"
      await session.disconnect()
    }
    try await vendor.world.wait(within: .seconds(120)) { way.isOver }
    guard let error = way.error(as: SessionError.self) else {
      try await way.value
      return nil
    }
    return (step.value, error)
  }

  @Test("R4.1 permission, power, scan, connect, verify, write, read, command, disconnect")
  func wholeWay() async throws {
    let vendor = try await Self.scene()
    let failure = try await Self.go(vendor)
    #expect(failure == nil)
    let states = vendor.scene.diary.all.compactMap { if case .state(let state) = $0.event { state } else { nil } }
    #expect(
      states == [
        .searching, .connecting, .preparing, .verifying, .ready, .disconnecting, .stopped(.user),
      ])
    #expect(vendor.told.value == [Data([0x01]), Data([0x10]), Data([0x20])])
    let isScanning = await vendor.scene.central.isScanning
    #expect(!isScanning)
  }

  @Test("R4.1 R4.12 without permission the first step says so")
  func permission() async throws {
    let vendor = try await Self.scene()
    vendor.scene.phone.denyBluetooth()
    await vendor.world.settle()
    let failure = try #require(try await Self.go(vendor))
    #expect(failure.step == "ready" && failure.error.code == .unavailable)
    #expect(failure.error.message.contains("no permission"))
  }

  @Test("R4.1 without power the first step says so")
  func power() async throws {
    let vendor = try await Self.scene()
    vendor.scene.phone.powerOff()
    await vendor.world.settle()
    let failure = try #require(try await Self.go(vendor))
    #expect(failure.step == "ready" && failure.error.code == .unavailable)
    #expect(failure.error.message == "Bluetooth is switched off: switch it on")
  }

  @Test("R4.1 a device that is not there is not found, and scanning stops")
  func scan() async throws {
    let vendor = try await Self.scene()
    vendor.scene.other.cutPower()
    let failure = try #require(try await Self.go(vendor))
    #expect(failure.step == "connect" && failure.error.code == .budgetSpent)
    #expect(failure.error.message == "the device did not connect in time: is it on and in range?")
    #expect(vendor.scene.diary.time(of: .connecting) == nil)
    let isScanning = await vendor.scene.central.isScanning
    #expect(!isScanning)
  }

  @Test("R4.1 I11.34 a device that vanishes while it is being connected to is tried until the time limit")
  func connect() async throws {
    let vendor = try await Self.scene(attempts: 1)
    vendor.scene.other.cutPowerWhenConnected()
    let failure = try #require(try await Self.go(vendor))
    #expect(failure.step == "connect")
    #expect([.budgetSpent, .timedOut].contains(failure.error.code), "\(failure.error.code)")
    #expect(vendor.told.value.isEmpty)
  }

  @Test("R4.1 a device that does not prove its identity is sent nothing else")
  func verify() async throws {
    let vendor = try await VendorScene.make(configuration: Self.configuration(attempts: 1)) { _ in
      [(.milliseconds(5), Data([0x7F]))]
    }
    let failure = try #require(try await Self.go(vendor))
    #expect(failure.step == "connect" && failure.error.code == .attemptsSpent)
    #expect((failure.error.underlying as? SessionError)?.code == .timedOut)
    #expect(Set(vendor.told.value) == [Data([0x01])])
  }

  @Test("R4.1 a write or a read that the device refuses fails with the device's own error", arguments: [true, false])
  func refusal(ofWrite: Bool) async throws {
    let vendor = try await Self.scene()
    let judge = try #require(vendor.scene.peripheral.judge)
    vendor.scene.peripheral.judge = { requests in
      let isWrite = requests.contains { $0.value != nil }
      if isWrite, ofWrite, requests.contains(where: { $0.value == Data([0x10]) }) { return .insufficientResources }
      return isWrite ? judge(requests) : ofWrite ? .success : .readNotPermitted
    }
    let failure = try #require(try await Self.go(vendor))
    #expect(failure.step == (ofWrite ? "write" : "read"))
    #expect(failure.error.code == .refused)
    #expect(failure.error.attError == (ofWrite ? .insufficientResources : .readNotPermitted))
  }

  @Test("R4.1 a disconnection completes though the device does not answer")
  func disconnect() async throws {
    let vendor = try await Self.scene()
    try await vendor.scene.connect()
    vendor.scene.other.cutPower()
    let session = vendor.scene.session
    let farewell = vendor.world.start { await session.disconnect() }
    try await vendor.world.wait(within: .seconds(6)) { farewell.isOver }
    #expect(vendor.scene.diary.state == .stopped(.user))
    guard case .user? = vendor.scene.diary.losses.last else {
      Issue.record("not the user's")
      return
    }
    // It can be connected again immediately.
    vendor.scene.other.restorePower()
    try await vendor.scene.connect()
  }

  @Test("R4.5 a device that sleeps: one hint to wake it when it does not answer, and it is waited for")
  func sleeping() async throws {
    let world = World()
    let configuration = SessionConfiguration(
      policy: ReconnectPolicy(budget: .seconds(300)), wakeHint: "press its button", patience: .seconds(4))
    let scene = await SessionScene.make(in: world, configuration: configuration)
    scene.other.cutPower()
    await world.settle()
    let session = scene.session
    let asked = world.now
    let waking = world.start { try await session.connect() }
    await world.advance(by: .seconds(200))
    let hints = scene.diary.all.compactMap { event -> (Duration, String)? in
      if case .hint(let text) = event.event { (event.time, text) } else { nil }
    }
    #expect(hints.count == 1 && hints.first?.0 == asked + .seconds(4) && hints.first?.1 == "press its button")
    #expect(!waking.isOver)
    // The user presses its button.
    scene.other.restorePower()
    try await world.wait(within: .seconds(10)) { waking.isOver }
    try await waking.value

    // A device that is awake causes no hint; one that falls asleep causes another.
    try await scene.disconnect()
    try await scene.connect()
    await world.advance(by: .seconds(20))
    #expect(scene.diary.times { if case .hint = $0 { true } else { false } }.count == 1)
    scene.other.cutPower()
    await world.advance(by: .seconds(60))
    #expect(scene.diary.times { if case .hint = $0 { true } else { false } }.count == 2)
  }

  @Test(
    "R4.6 the characteristics for commands and answers are found by UUID, and may be one and the same",
    arguments: [
      ("FF31", "FF32"), ("FF33", "FF33"),
    ])
  func characteristics(command: String, answer: String) async throws {
    let world = World()
    func make(_ uuid: String, _ properties: CBCharacteristicProperties) -> CBMutableCharacteristic {
      CBMutableCharacteristic(uuid, properties, .writeable)
    }
    let all = [make("FF31", .writeWithoutResponse), make("FF32", .indicate), make("FF33", [.write, .notify])]
    let service = CBMutableService("FF30")
    service.characteristics = all
    let device = PeripheralApp("vendor", on: world.makeDevice("other"), services: [service], advertises: [])
    let published = Locked(all)
    device.judge = { requests in
      for request in requests {
        guard let line = published.value.first(where: { $0.uuid == CBUUID(string: answer) }) else { continue }
        _ = device.manager.updateValue((request.value ?? Data()) + [0xFF], for: line, onSubscribedCentrals: nil)
      }
      return .success
    }
    let central = Central(options: world.makeDevice("phone").options, clock: world.clock)
    let session = central.session(with: .first(.names(["vendor"])))
    let commands = CommandQueue(
      session, commandPath: CharacteristicPath(command), answerPath: CharacteristicPath(answer))
    let reply = try await world.perform {
      try await session.connect()
      return try await commands.send(Command(Data([7]), answer: .beginning(Data([7]))))
    }
    #expect(reply == Data([7, 0xFF]))
  }
}
