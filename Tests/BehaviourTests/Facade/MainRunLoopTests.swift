import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("L2CAP channels on the main run loop", .keepsCapture)
struct MainRunLoopTests {
  /// Counts the calls of stream delegates that are not on the main queue.
  private final class StrayCalls {
    private(set) var count = 0
    private let mark = DispatchSpecificKey<Bool>()

    init() { DispatchQueue.main.setSpecific(key: mark, value: true) }

    func watch(_ user: StreamUser) {
      user.onEvent = { [self] in if DispatchQueue.getSpecific(key: mark) != true { count += 1 } }
    }
  }

  /// A channel, its end on the phone not yet open: octets written into the other end arrive there.
  private func channel(
    to central: CentralApp, _ publisher: PeripheralApp, in world: World
  ) async throws -> (near: CBL2CAPChannel, far: CBL2CAPChannel) {
    await world.settle()
    publisher.manager.publishL2CAPChannel(withEncryption: false)
    publisher.manager.startAdvertising([CBAdvertisementDataLocalNameKey: "device"])
    let found = try await central.meet(in: world)
    found.openL2CAPChannel(try #require(publisher.multiplexers.first))
    await world.settle()
    let far = try #require(publisher.channels.first)
    far.outputStream.open()
    return (try #require(central.channels.first), far)
  }

  @Test(
    "I11.30 streams on RunLoop.main call their delegate, on the main queue", arguments: [RunLoop.Mode.default, .common])
  func mainRunLoop(_ mode: RunLoop.Mode) async throws {
    let world = World()
    let publisher = PeripheralApp(world.makeDevice("device").options)
    let central = CentralApp(world.makeDevice("phone").options)
    let (near, far) = try await channel(to: central, publisher, in: world)
    let (talker, strayCalls) = (StreamUser(near), StrayCalls())
    strayCalls.watch(talker)
    talker.start(on: .main, mode: mode)
    for number in 0..<20 {
      #expect(far.outputStream.writeAvailable([UInt8(number)]) == 1)
      try await world.wait(within: .seconds(1)) { talker.received.count == number + 1 }
    }
    far.outputStream.close()
    far.inputStream.close()
    func events(_ event: Stream.Event) -> Int { (talker.inputEvents + talker.outputEvents).count { $0 == event } }
    try await world.wait(within: .seconds(5)) { events(.endEncountered) == 2 }
    #expect(events(.openCompleted) == 2 && events(.hasSpaceAvailable) > 0)
    #expect(talker.received == Array(0..<20) && strayCalls.count == 0)
    #expect(!world.logLines.contains { $0.text.contains("run loop") })
  }

  @Test("I11.30 the current run loop of a callback on the main queue is the main one, whichever thread it is on")
  func currentRunLoop() async throws {
    let world = World()
    let publisher = PeripheralApp(world.makeDevice("device").options)
    let central = CentralApp(world.makeDevice("phone").options, queue: nil)
    let strayCalls = StrayCalls()
    var talker: StreamUser?
    central.reactions["opened"] = {
      let user = StreamUser(central.channels[0])
      strayCalls.watch(user)
      user.start(on: .current)
      talker = user
    }
    let (near, far) = try await channel(to: central, publisher, in: world)
    #expect(far.outputStream.writeAvailable("hello".utf8) == 5)
    try await world.wait(within: .seconds(5)) { talker?.received == Array("hello".utf8) }
    #expect(strayCalls.count == 0)
    // Events of an unscheduled stream are not reported.
    let user = try #require(talker)
    await MainActor.run { user.channel.inputStream.remove(from: .current, forMode: .default) }
    #expect(far.outputStream.writeAvailable([1]) == 1)
    await world.advance(by: .seconds(1))
    #expect(user.received == Array("hello".utf8) && near.inputStream.hasBytesAvailable)
  }

  @Test("I11.30 where the run loop of a stream does not run, virtual time still advances, and the log says so")
  func idleRunLoop() async throws {
    let world = World()
    let publisher = PeripheralApp(world.makeDevice("device").options)
    let central = CentralApp(world.makeDevice("phone").options)
    let (near, far) = try await channel(to: central, publisher, in: world)
    let thread = IdleThread()
    defer { thread.stop() }
    let talker = StreamUser(near)
    talker.start(on: thread.runLoop)
    #expect(far.outputStream.writeAvailable([1]) == 1)
    await world.advance(by: .seconds(1))
    #expect(talker.inputEvents.isEmpty && talker.outputEvents.isEmpty && near.inputStream.hasBytesAvailable)
    let lines = world.logLines.filter { $0.text.contains("run loop") }
    #expect(lines.count == 2 && lines.allSatisfy { $0.level == .warning })
    #expect(lines.contains { $0.text.contains("input stream of the channel by PSM \(near.psm)") })
  }

  /// A thread with a run loop that it does not run.
  ///
  /// `@unchecked Sendable`: `runLoop` is written before `ready` is signalled.
  private final class IdleThread: @unchecked Sendable {
    private(set) var runLoop = RunLoop.main
    private let ready = DispatchSemaphore(value: 0)
    private let end = DispatchSemaphore(value: 0)

    init() {
      let thread = Thread { [self] in
        runLoop = RunLoop.current
        ready.signal()
        end.wait()
      }
      thread.start()
      ready.wait()
    }

    func stop() { end.signal() }
  }
}
