import BLESession
import BLETestKit
import CoreBluetooth
import Testing

@Suite("A4: commands", .keepsCapture)
struct CommandQueueTests {
  private static func command(_ number: UInt8, timeLimit: Duration = .seconds(2), retries: Int = 0) -> Command {
    Command(Data([number]), answer: .beginning(Data([0x80 | number])), timeLimit: timeLimit, retries: retries)
  }

  @Test("R4.8 a command is done when the device's answer says so, and answers are matched to their command")
  func answers() async throws {
    let world = World()
    let vendor = try await VendorScene.make(in: world) { told in
      // An unsolicited message comes first, the answer half a second later.
      [(.milliseconds(10), Data([0x55])), (.milliseconds(500), Data([0x80 | told[0], told[0] &* 2]))]
    }
    try await vendor.scene.connect()
    let commands = vendor.commands
    let unsolicited = Locked<[Data]>([])
    let listening = world.start {
      for await value in commands.unsolicitedMessages() { unsolicited.change { $0.append(value) } }
    }
    defer { listening.cancel() }
    let begin = world.now
    let results = try await world.perform {
      async let first = commands.send(Self.command(1))
      async let second = commands.send(Self.command(2))
      return try await [first, second]
    }
    #expect(results == [Data([0x81, 2]), Data([0x82, 4])])
    #expect(world.now - begin >= .seconds(1))
    #expect(unsolicited.value == [Data([0x55]), Data([0x55])])
  }

  @Test("R4.8 a device that refuses fails the command though the write was acknowledged")
  func refusal() async throws {
    let vendor = try await VendorScene.make { _ in [(.milliseconds(5), Data([0xFF]))] }
    try await vendor.scene.connect()
    let commands = vendor.commands
    let refused = Command(Data([1]), answer: .judged { $0.first == 0xFF ? .refused : .accepted })
    #expect(try await vendor.world.failure(within: .seconds(5)) { try await commands.send(refused) }?.code == .refused)
  }

  @Test("R4.9 commands are sent strictly one after another, the urgent ones first")
  func order() async throws {
    let world = World()
    let vendor = try await VendorScene.make(in: world) { [(.milliseconds(100), Data([0x80 | $0[0]]))] }
    try await vendor.scene.connect()
    let commands = vendor.commands
    var tasks: [WorldTask<Data>] = []
    for number in UInt8(1)...4 { tasks.append(world.start { try await commands.send(Self.command(number)) }) }
    tasks.append(
      world.start { try await commands.send(Command(Data([9]), answer: .exactly(Data([0x89])), priority: 1)) })
    let all = tasks
    try await world.wait(within: .seconds(10)) { all.allSatisfy(\.isOver) }
    #expect(vendor.told.value == [1, 9, 2, 3, 4].map { Data([$0]) })
  }

  @Test("R4.9 a command without an answer is sent again, then fails, and the next one is sent")
  func retries() async throws {
    let world = World()
    let vendor = try await VendorScene.make(in: world) { told in
      told[0] == 1 ? [] : [(.milliseconds(1), Data([0x80 | told[0]]))]
    }
    try await vendor.scene.connect()
    let commands = vendor.commands
    let silent = world.start { try await commands.send(Self.command(1, timeLimit: .seconds(1), retries: 2)) }
    let next = world.start { try await commands.send(Self.command(2)) }
    try await world.wait(within: .seconds(10)) { silent.isOver && next.isOver }
    #expect(silent.error(as: SessionError.self)?.code == .timedOut)
    #expect(try await next.value == Data([0x82]))
    #expect(vendor.told.value == [Data([1]), Data([1]), Data([1]), Data([2])])
  }

  @Test("R4.9 a cancelled command is not sent, and the answer to a cancelled pending one belongs to no command")
  func cancellation() async throws {
    let world = World()
    let vendor = try await VendorScene.make(in: world) { [(.milliseconds(500), Data([0x80 | $0[0]]))] }
    try await vendor.scene.connect()
    let commands = vendor.commands
    let first = world.start { try await commands.send(Self.command(1)) }
    let second = world.start { try await commands.send(Self.command(2)) }
    await world.advance(by: .milliseconds(100))
    second.cancel()
    first.cancel()
    let third = world.start { try await commands.send(Self.command(3)) }
    try await world.wait(within: .seconds(5)) { third.isOver }
    #expect(try await third.value == Data([0x83]))
    #expect(first.error(as: SessionError.self)?.code == .cancelled)
    #expect(second.error(as: SessionError.self)?.code == .cancelled)
    #expect(vendor.told.value == [Data([1]), Data([3])])
  }

  @Test(
    "R4.9 a disconnection fails the remaining commands with a clear error, or keeps them by choice",
    arguments: [
      DisconnectPolicy.fail, .resume,
    ])
  func disconnection(policy: DisconnectPolicy) async throws {
    let world = World()
    let isAnswering = Locked(false)
    let vendor = try await VendorScene.make(in: world, onDisconnect: policy) { told in
      isAnswering.value ? [(.milliseconds(1), Data([0x80 | told[0]]))] : []
    }
    try await vendor.scene.connect()
    let commands = vendor.commands
    let tasks = (UInt8(1)...3).map { number in
      world.start { try await commands.send(Self.command(number, timeLimit: .seconds(30))) }
    }
    await world.advance(by: .milliseconds(200))
    vendor.scene.other.moveAway()
    let diary = vendor.scene.diary
    try await world.wait(within: .seconds(30)) { diary.losses.count == 1 && tasks[0].isOver }
    #expect(tasks[0].error(as: SessionError.self)?.code == .connectionLost)
    isAnswering.value = true
    vendor.scene.other.comeBack()
    try await world.wait(within: .seconds(60)) { tasks.allSatisfy(\.isOver) && diary.state == .ready }
    switch policy {
    case .fail:
      #expect(
        tasks.map { $0.error(as: SessionError.self)?.code } == [.connectionLost, .connectionLost, .connectionLost])
      #expect(vendor.told.value == [Data([1])])
    case .resume:
      #expect(try await tasks[2].value == Data([0x83]))
      #expect(vendor.told.value == [Data([1]), Data([2]), Data([3])])
    }
  }
}

@Suite("A4: verified connections", .keepsCapture)
struct VerifiedConnectionTests {
  private static func configuration() -> SessionConfiguration {
    let line = SessionScene.line
    return SessionConfiguration(
      policy: ReconnectPolicy(maximumAttempts: 2, backOff: .init(jitter: 0)),
      opening: [
        .handshake(
          Data([0x01]), to: line, answerOn: line,
          answer: .judged { $0 == Data([0x81]) ? .accepted : $0.first == 0xEE ? .refused : .unrelated },
          timeLimit: .seconds(1), retries: 1)
      ])
  }

  @Test("R4.7 a device is ready only after the right answer")
  func right() async throws {
    let vendor = try await VendorScene.make(configuration: Self.configuration()) { _ in
      [(.milliseconds(300), Data([0x81]))]
    }
    try await vendor.scene.connect()
    let verifying = try #require(vendor.scene.diary.time(of: .verifying))
    let ready = try #require(vendor.scene.diary.time(of: .ready))
    #expect(ready - verifying >= .milliseconds(300))
  }

  @Test("R4.7 a wrong answer ends the attempt immediately, with the reason")
  func wrong() async throws {
    let vendor = try await VendorScene.make(configuration: Self.configuration()) { _ in
      [(.milliseconds(10), Data([0xEE]))]
    }
    let session = vendor.scene.session
    #expect(try await vendor.world.failure(within: .seconds(30)) { try await session.connect() }?.code == .notVerified)
    #expect(vendor.scene.diary.state == .stopped(.notVerified))
    #expect(vendor.scene.diary.readies.isEmpty)
  }

  @Test("R4.7 without an answer the question is repeated, then the next attempt is made, then it fails")
  func none() async throws {
    let vendor = try await VendorScene.make(configuration: Self.configuration()) { _ in [] }
    let session = vendor.scene.session
    #expect(
      try await vendor.world.failure(within: .seconds(60)) { try await session.connect() }?.code == .attemptsSpent)
    #expect(vendor.told.value.count == 4)
  }

  @Test("R4.7 a late answer to the first question also answers the second one, and nothing is doubled")
  func late() async throws {
    let vendor = try await VendorScene.make(configuration: Self.configuration()) { _ in
      [(.milliseconds(1_200), Data([0x81]))]
    }
    try await vendor.scene.connect()
    await vendor.world.advance(by: .seconds(5))
    #expect(vendor.scene.diary.readies == [.user])
  }
}
