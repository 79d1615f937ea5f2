import BLESession
import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("A0: signals, typed values, progress", .keepsCapture)
struct SignalTests {
  @Test(
    "R0.5 requested every 0.1 s RSSI is answered at most once a second, slower requests as made, and nothing waits for it"
  )
  func rates() async throws {
    let world = World()
    let scene = try await SessionScene.connected(in: world)
    let session = scene.session
    for (interval, expected) in [(Duration.milliseconds(100), 8...11), (.seconds(2), 4...6), (.seconds(5), 2...3)] {
      let measured = Locked<[SignalStrength]>([])
      let measuring = world.start {
        for await strength in session.signalStrengths(every: interval) { measured.change { $0.append(strength) } }
      }
      let begin = world.now
      for _ in 0..<20 {
        let before = world.now
        _ = try await world.perform { try await session.read(SessionScene.line) }
        #expect(world.now - before < .milliseconds(200))
      }
      await world.advance(by: begin + .seconds(10) - world.now)
      #expect(expected.contains(measured.value.count), "\(interval): \(measured.value.count)")
      let times = measured.value.map(\.time)
      #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 >= min(interval, .milliseconds(990)) })
      #expect(measured.value.allSatisfy { $0.rssi < 0 && $0.smoothed < 0 })
      measuring.cancel()
      await world.advance(by: .seconds(3))
    }
  }

  @Test("R0.5 a weak signal means far, and measurements pause while the link is lost")
  func proximity() async throws {
    let world = World()
    let scene = try await SessionScene.connected(in: world)
    let session = scene.session
    let last = Locked<SignalStrength?>(nil)
    let measuring = world.start {
      for await strength in session.signalStrengths(filter: SignalFilter(weight: 0.5)) { last.value = strength }
    }
    defer { measuring.cancel() }
    await world.advance(by: .seconds(5))
    let near = try #require(last.value)
    scene.other.setTransmitPower(-60)
    await world.advance(by: .seconds(15))
    let far = try #require(last.value)
    #expect(far.smoothed < near.smoothed && far.proximity > near.proximity)
    scene.other.setTransmitPower(0)
    scene.other.moveAway()
    let (diary, phone) = (scene.diary, scene.other)
    try await world.wait(within: .seconds(20)) { diary.losses.count == 1 }
    last.value = nil
    await world.advance(by: .seconds(5))
    #expect(last.value == nil)
    phone.comeBack()
    try await scene.wait(for: .ready)
    await world.advance(by: .seconds(5))
    #expect(last.value != nil)
  }

  @Test(
    "R0.9 a battery's level is read as a percentage, and an invalid one is an error that shows its octets",
    arguments: [87, 101])
  func battery(octet: UInt8) async throws {
    let world = World()
    let device = Devices.battery(on: world.makeDevice("other"), percent: octet)
    let central = Central(options: world.makeDevice("phone").options, clock: world.clock)
    let session = central.session(with: .first(.names(["Battery"])))
    try await world.perform { try await session.connect() }
    let reading = world.start { try await session.read(.batteryLevel) }
    try await world.wait(within: .seconds(5)) { reading.isOver }
    if octet <= 100 {
      #expect(try await reading.value == Int(octet))
    } else {
      let error = try #require(reading.error(as: SessionError.self))
      #expect(error.code == .invalid && error.message == "65 is not a valid value of 180F/2A19")
    }
    #expect(try await world.failure(within: .seconds(5)) { try await session.read(.serialNumber) }?.code == .notFound)
    withExtendedLifetime(device) {}
  }

  @Test("R4.9 a long command reports its progress, part by part, and the time limit counts from the last part")
  func progress() async throws {
    let world = World()
    let told = Locked(0)
    let vendor = try await VendorScene.make(in: world) { part in
      told.change { $0 += part.count }
      return told.value == 5_000 ? [(.milliseconds(900), Data([0x99]))] : []
    }
    try await vendor.scene.connect()
    let commands = vendor.commands
    let progress = Locked<[TransferProgress]>([])
    let answer = try await world.perform {
      try await commands.send(
        Command(Data(count: 5_000), answer: .exactly(Data([0x99])), timeLimit: .seconds(1))
      ) { step in progress.change { $0.append(step) } }
    }
    #expect(answer == Data([0x99]) && told.value == 5_000)
    let sent = progress.value.map(\.sent)
    #expect(sent.count >= 10 && sent == sent.sorted() && sent.last == 5_000)
    #expect(progress.value.allSatisfy { $0.total == 5_000 })
  }
}
