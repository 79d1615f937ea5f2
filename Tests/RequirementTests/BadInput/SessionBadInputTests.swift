import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@testable import BLESession

@Suite("A4: devices and systems that misbehave", .keepsCapture)
struct SessionBadInputTests {
  private static func command(_ number: UInt8, timeLimit: Duration = .seconds(2)) -> Command {
    Command(Data([number]), answer: .beginning(Data([0x80 | number])), timeLimit: timeLimit)
  }

  @Test("R4.8 answers to commands that were never sent belong to no command")
  func unasked() async throws {
    let world = World()
    let vendor = try await VendorScene.make(in: world) { told in
      // Answers to every other command, then the right one, then the others again.
      (UInt8(0x10)..<0x20).filter { $0 != told[0] }.map { (.milliseconds(5), Data([0x80 | $0])) }
        + [(.milliseconds(50), Data([0x80 | told[0]])), (.milliseconds(60), Data([0x80 | told[0]]))]
    }
    try await vendor.scene.connect()
    let commands = vendor.commands
    let unsolicited = Locked(0)
    let listening = world.start { for await _ in commands.unsolicitedMessages() { unsolicited.change { $0 += 1 } } }
    defer { listening.cancel() }
    for number in UInt8(0x10)..<0x20 {
      let answer = try await world.perform { try await commands.send(Self.command(number)) }
      #expect(answer == Data([0x80 | number]))
      await world.advance(by: .milliseconds(200))
    }
    #expect(unsolicited.value == 16 * 16)
    // They have no listener: they are not kept.
    listening.cancel()
    await world.advance(by: .seconds(1))
    _ = try await world.perform { try await commands.send(Self.command(0x10)) }
    #expect(unsolicited.value == 16 * 16)
  }

  @Test(
    "R4.8 R4.9 a device that answers everything late: each command fails in time, no answer goes to another command")
  func late() async throws {
    let world = World()
    let vendor = try await VendorScene.make(in: world) { [(.milliseconds(3_000), Data([0x80 | $0[0]]))] }
    try await vendor.scene.connect()
    let commands = vendor.commands
    let begin = world.now
    let tasks = (UInt8(1)...20).map { number in world.start { try await commands.send(Self.command(number)) } }
    try await world.wait(within: .seconds(60)) { tasks.allSatisfy(\.isOver) }
    #expect(tasks.allSatisfy { $0.error(as: SessionError.self)?.code == .timedOut })
    #expect(world.now - begin >= .seconds(40) && world.now - begin < .seconds(41))
    #expect(vendor.told.value.count == 20)
    // A caller with a longer time limit gets the answer.
    let answer = try await world.perform { try await commands.send(Self.command(30, timeLimit: .seconds(5))) }
    #expect(answer == Data([0x80 | 30]))
  }

  @Test(
    "R4.9 a device that changes its services while connected: pending operations fail once, all is found again")
  func changingServices() async throws {
    let world = World()
    let vendor = try await VendorScene.make(in: world) { [(.milliseconds(20), Data([0x80 | $0[0]]))] }
    try await vendor.scene.connect()
    let (session, commands, peripheral) = (vendor.scene.session, vendor.commands, vendor.scene.peripheral)
    let heard = Locked(0)
    let listening = world.start {
      for await _ in session.notifications(from: SessionScene.line, buffering: .all) { heard.change { $0 += 1 } }
    }
    defer { listening.cancel() }
    await world.advance(by: .seconds(1))
    for round in 0..<12 {
      let task = world.start { try await commands.send(Self.command(1)) }
      await world.advance(by: .milliseconds(round * 8))
      let added = CBMutableService("FF77", [CBMutableCharacteristic("FF78", .read, value: Data([UInt8(round)]))])
      let change = Locked(added)
      peripheral.queue.sync { peripheral.manager.add(change.value) }
      try await world.wait(within: .seconds(20)) { task.isOver }
      if let error = task.error(as: SessionError.self) { #expect(error.code == .notFound) }
      // Repeated changes are acted on at growing intervals: this device changes rarely.
      await world.advance(by: .seconds(70))
      let value = try await world.perform { try await session.read(CharacteristicPath("FF78", in: "FF77")) }
      #expect(value == Data([UInt8(round)]))
      let before = heard.value
      _ = try await world.perform { try await commands.send(Self.command(2)) }
      #expect(heard.value == before + 1)
      peripheral.queue.sync { peripheral.manager.remove(change.value) }
      await world.advance(by: .seconds(70))
      let gone = world.start { try await session.read(CharacteristicPath("FF78", in: "FF77")) }
      try await world.wait(within: .seconds(5)) { gone.isOver }
      #expect(gone.error(as: SessionError.self)?.code == .notFound)
    }
    #expect(vendor.scene.diary.losses.isEmpty && vendor.scene.diary.state == .ready)
  }

  @Test("R4.9 a device that never answers ends every call in time, and is connected again")
  func silent() async throws {
    let world = World()
    let configuration = SessionConfiguration(answerTime: .seconds(3))
    let vendor = try await VendorScene.make(in: world, configuration: configuration) { _ in [] }
    try await vendor.scene.connect()
    vendor.scene.peripheral.answersRequests = false
    let session = vendor.scene.session
    let begin = world.now
    let read = world.start { _ = try await session.read(SessionScene.line) }
    let write = world.start { try await session.write(Data([1]), to: SessionScene.line) }
    try await world.wait(within: .seconds(10)) { read.isOver }
    #expect(world.now - begin >= .seconds(3) && world.now - begin < .seconds(4))
    #expect(read.error(as: SessionError.self)?.code == .timedOut)
    // The link is unusable; pending operations are performed on the next one.
    vendor.scene.peripheral.answersRequests = true
    try await world.wait(within: .seconds(60)) { write.isOver }
    try await write.value
    #expect(vendor.scene.diary.losses.count == 1 && vendor.scene.diary.readies == [.user, .automatic])
  }

  @Test("R4.9 an operation has exactly the answer time, whatever was answered before it, on its link or the one before")
  func exactTime() async throws {
    let world = World()
    let scene = try await SessionScene.connected(
      in: world, configuration: SessionConfiguration(answerTime: .seconds(10)))
    let session = scene.session
    for pause in [Duration.seconds(5), .milliseconds(9_999), .seconds(10)] {
      _ = try await world.perform { try await session.read(SessionScene.line) }
      await world.advance(by: pause)
    }
    _ = try await world.perform { try await session.read(SessionScene.line) }
    await world.advance(by: .seconds(5))
    try await Self.isSilent(scene, for: .seconds(10))
    try await scene.wait(for: .ready)
    _ = try await world.perform { try await session.read(SessionScene.line) }
    try await scene.disconnect()
    try await scene.connect()
    try await Self.isSilent(scene, for: .seconds(10))
  }

  /// Reads from the device, which does not answer, and fails then, neither earlier nor later.
  private static func isSilent(_ scene: SessionScene, for time: Duration) async throws {
    let (world, session) = (scene.world, scene.session)
    scene.peripheral.answersRequests = false
    let read = world.start { _ = try await session.read(SessionScene.line) }
    await world.advance(by: time - .nanoseconds(1))
    #expect(!read.isOver)
    try await world.wait(within: .nanoseconds(1)) { read.isOver }
    #expect(read.error(as: SessionError.self)?.code == .timedOut)
    scene.peripheral.answersRequests = true
  }

  @Test(
    "R4.9 callbacks that come twice, unasked or for an ended link: nothing ends twice, nothing hangs", arguments: 0..<10
  )
  func callbacks(step: Int) async throws {
    let world = World(seed: 9)
    let vendor = try await VendorScene.make(in: world) { [(.milliseconds(20), Data([0x80 | $0[0]]))] }
    let (session, commands, peripheral) = (vendor.scene.session, vendor.commands, vendor.scene.peripheral)
    let connecting = world.start { try await session.connect() }
    for _ in 0..<12 {
      await world.advance(by: .milliseconds(step * 9 + 5))
      await session.core.value { Self.callEverything($0) }
    }
    try await world.wait(within: .seconds(60)) { connecting.isOver }
    try await connecting.value

    let tasks: [WorldTask<Void>] = [
      world.start { _ = try await session.read(SessionScene.line) },
      world.start { try await session.write(Data([1]), to: SessionScene.line) },
      world.start { _ = try await session.readRSSI() },
      world.start { _ = try await commands.send(Self.command(3)) },
    ]
    for _ in 0..<12 {
      await world.advance(by: .milliseconds(step * 3 + 1))
      await session.core.value { Self.callEverything($0) }
    }
    try await world.wait(within: .seconds(60)) { tasks.allSatisfy(\.isOver) }
    await world.advance(by: .seconds(5))
    #expect(vendor.scene.diary.state == .ready)
    peripheral.queue.sync { peripheral.values[SessionScene.line.characteristic] = Data("there".utf8) }
    let value = try await world.perform { try await session.read(SessionScene.line) }
    #expect(value == Data("there".utf8))
    // The link has ended, and its end is reported again and again.
    let gone = await session.core.value { core in core.peripheral.map { Locked($0) } }
    try await vendor.scene.disconnect()
    let before = vendor.scene.diary.all.count
    await session.core.value { core in
      guard let gone else { return }
      for _ in 0..<3 {
        core.didDisconnect(gone.value, nil)
        core.didFailToConnect(gone.value, nil)
        core.didConnect(gone.value)
        core.disconnectCompleted()
      }
    }
    await world.advance(by: .seconds(5))
    #expect(vendor.scene.diary.all.count == before)
    try await vendor.scene.connect()
  }

  /// Each callback that Core Bluetooth has for a connected peripheral, with and without an error.
  private static func callEverything(_ core: DeviceCore) {
    guard let peripheral = core.peripheral else { return }
    for error in [nil, CBATTError(.unlikelyError)] as [(any Error)?] {
      core.peripheral(peripheral, didReadRSSI: -50, error: error)
      core.peripheralIsReady(toSendWriteWithoutResponse: peripheral)
      for service in peripheral.services ?? [] {
        for characteristic in service.characteristics ?? [] {
          core.peripheral(peripheral, didWriteValueFor: characteristic, error: error)
          core.peripheral(peripheral, didUpdateNotificationStateFor: characteristic, error: error)
          core.peripheral(peripheral, didUpdateValueFor: characteristic, error: error)
        }
        core.peripheral(peripheral, didDiscoverCharacteristicsFor: service, error: nil)
      }
    }
    if core.isConnected {
      core.didConnect(peripheral)
      core.didFailToConnect(peripheral, nil)
    }
  }
}
