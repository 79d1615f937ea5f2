import BLESession
import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

/// Operations that are interrupted at every step: each ends once, and the session continues afterwards.
@Suite("A4: sessions interrupted at every step") struct SessionSweepTests {
  enum Action: String, CaseIterable, Sendable {
    case connect, read, write, longWrite, writeWithoutResponse, signal, command, notifications, disconnect
  }

  enum Interruption: String, CaseIterable, Sendable {
    case cancel, disconnect, loss, deviceOff, powerOff, servicesChange, connectTwice
  }

  @Test(
    "R4.9 whatever interrupts a call, and whenever: each call ends exactly once, and the next one works",
    arguments: Action.allCases, Interruption.allCases)
  func sweep(action: Action, interruption: Interruption) async throws {
    for step in 0..<12 {
      let world = World(seed: UInt64(step), keepsPackets: false)
      let configuration = SessionConfiguration(
        policy: ReconnectPolicy(backOff: .init(first: .milliseconds(200), jitter: 0)), answerTime: .seconds(5))
      let vendor = try await VendorScene.make(in: world, configuration: configuration) { told in
        told.count == 1 ? [(.milliseconds(15), Data([0x80 | told[0]]))] : []
      }
      if action != .connect { try await vendor.scene.connect() }
      let task = begin(action, vendor, in: world)
      await world.advance(by: .milliseconds(action == .connect ? step * 45 : step * 8))
      let extra = interrupt(interruption, task, vendor, in: world)
      let label: Comment = "\(action.rawValue), \(interruption.rawValue), step \(step)"

      await world.advance(by: .seconds(3))
      vendor.scene.other.comeBack()
      vendor.scene.other.powerOn()
      vendor.scene.phone.powerOn()
      if action == .notifications { task.cancel() }
      try await world.wait(within: .seconds(80)) { task.isOver && extra.allSatisfy(\.isOver) }
      #expect(task.error(as: WaitError.self) == nil, label)

      // Everything works as before.
      let central = vendor.scene.central
      try await world.perform { try await central.ready(waitsForPower: true) }
      try await vendor.scene.connect()
      let session = vendor.scene.session
      let commands = vendor.commands
      let answer = try await world.perform {
        try await session.write(Data([0x01, 0x02]), to: SessionScene.line)
        return try await commands.send(Command(Data([5]), answer: .exactly(Data([0x85]))))
      }
      #expect(answer == Data([0x85]), label)
      try await vendor.scene.disconnect()
      #expect(vendor.scene.diary.state == .stopped(.user), label)
      let isScanning = await vendor.scene.central.isScanning
      #expect(!isScanning, label)
    }
  }

  private func begin(_ action: Action, _ vendor: VendorScene, in world: World) -> WorldTask<Void> {
    let (session, commands) = (vendor.scene.session, vendor.commands)
    let line = SessionScene.line
    return world.start {
      switch action {
      case .connect: try await session.connect()
      case .read: _ = try await session.read(line)
      case .write: try await session.write(Data([1, 1]), to: line)
      case .longWrite: try await session.write(Data(count: 400), to: line)
      case .writeWithoutResponse: for _ in 0..<50 { try await session.writeWithoutResponse(Data([1, 1]), to: line) }
      case .signal: _ = try await session.readRSSI()
      case .command: _ = try await commands.send(Command(Data([3]), answer: .exactly(Data([0x83]))))
      case .notifications: for await _ in session.notifications(from: line) {}
      case .disconnect: await session.disconnect()
      }
    }
  }

  private func interrupt(
    _ interruption: Interruption, _ task: WorldTask<Void>, _ vendor: VendorScene, in world: World
  ) -> [WorldTask<Void>] {
    let (session, peripheral) = (vendor.scene.session, vendor.scene.peripheral)
    switch interruption {
    case .cancel: task.cancel()
    case .disconnect: return [world.start { await session.disconnect() }]
    case .loss: vendor.scene.other.moveAway()
    case .deviceOff: vendor.scene.other.powerOff()
    case .powerOff: vendor.scene.phone.powerOff()
    case .servicesChange:
      let added = CBMutableService("FF77")
      peripheral.queue.sync { peripheral.manager.add(added) }
    case .connectTwice:
      return [world.start { try await session.connect() }, world.start { try await session.connect() }]
    }
    return []
  }

  @Test(
    "R4.9 a session that is released ends its streams and its link, whatever operation was pending", arguments: 0..<12)
  func givenUp(step: Int) async throws {
    let world = World(seed: UInt64(step))
    let (peripheral, line) = Devices.chat(on: world.makeDevice("other"))
    let central = Central(options: world.makeDevice("phone").options, clock: world.clock)
    await world.settle()
    var session: DeviceSession? = central.session(with: .first(.names(["My dear"])))
    let streams: [WorldTask<Void>]
    do {
      let kept = try #require(session)
      let (values, events) = (kept.notifications(from: SessionScene.line), kept.events())
      streams = [world.start { for await _ in values {} }, world.start { for await _ in events {} }]
      kept.keepConnected()
    }
    await world.advance(by: .milliseconds(step * 60))
    session = nil
    try await world.wait(within: .seconds(10)) { streams.allSatisfy(\.isOver) }
    await world.advance(by: .seconds(10))
    #expect(peripheral.centrals.isEmpty && (line.subscribedCentrals ?? []).isEmpty)
    let isScanning = await central.isScanning
    #expect(!isScanning)
  }
}
