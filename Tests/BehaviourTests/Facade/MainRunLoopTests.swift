import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("L2CAP channels on the main run loop", .keepsCapture)
struct MainRunLoopTests {
  /// Both streams of a channel, scheduled as apps for iOS do it.
  ///
  /// `@unchecked Sendable`: the calls come one after the other, and the test looks only while the world is not running.
  private final class Talker: NSObject, StreamDelegate, @unchecked Sendable {
    private(set) var events: [Stream.Event] = []
    private(set) var received = Data()
    /// How many calls were not on the main queue.
    private(set) var strayCalls = 0
    private let mark = DispatchSpecificKey<Bool>()
    private var input: InputStream?

    override init() {
      super.init()
      DispatchQueue.main.setSpecific(key: mark, value: true)
    }

    func use(_ channel: CBL2CAPChannel, on runLoop: RunLoop, _ mode: RunLoop.Mode) {
      input = channel.inputStream
      for stream in [channel.inputStream, channel.outputStream] as [Stream] {
        stream.delegate = self
        stream.schedule(in: runLoop, forMode: mode)
        stream.open()
      }
    }

    func leave() { input?.remove(from: .current, forMode: .default) }

    func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
      events.append(eventCode)
      if DispatchQueue.getSpecific(key: mark) != true { strayCalls += 1 }
      guard eventCode == .hasBytesAvailable, let input = aStream as? InputStream else { return }
      received += input.available()
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
    let talker = Talker()
    talker.use(near, on: .main, mode)
    for number in 0..<20 {
      #expect(far.outputStream.write(Data([UInt8(number)])) == 1)
      try await world.wait(within: .seconds(1)) { talker.received.count == number + 1 }
    }
    far.outputStream.close()
    far.inputStream.close()
    try await world.wait(within: .seconds(5)) { talker.events.filter { $0 == .endEncountered }.count == 2 }
    #expect(talker.events.filter { $0 == .openCompleted }.count == 2 && talker.events.contains(.hasSpaceAvailable))
    #expect(talker.received == Data(0..<20) && talker.strayCalls == 0)
    #expect(!world.logLines.contains { $0.text.contains("run loop") })
  }

  @Test("I11.30 the current run loop of a callback on the main queue is the main one, whichever thread it is on")
  func currentRunLoop() async throws {
    let world = World()
    let publisher = PeripheralApp(world.makeDevice("device").options)
    let central = CentralApp(world.makeDevice("phone").options, queue: nil)
    let talker = Talker()
    central.reactions["opened"] = { talker.use(central.channels[0], on: .current, .default) }
    let (near, far) = try await channel(to: central, publisher, in: world)
    #expect(far.outputStream.write(Data("hello".utf8)) == 5)
    try await world.wait(within: .seconds(5)) { talker.received == Data("hello".utf8) }
    #expect(talker.strayCalls == 0)
    // Events of an unscheduled stream are not reported.
    await MainActor.run { talker.leave() }
    #expect(far.outputStream.write(Data([1])) == 1)
    await world.advance(by: .seconds(1))
    #expect(talker.received == Data("hello".utf8) && near.inputStream.hasBytesAvailable)
  }

  @Test("I11.30 where the run loop of a stream does not run, virtual time still advances, and the log says so")
  func idleRunLoop() async throws {
    let world = World()
    let publisher = PeripheralApp(world.makeDevice("device").options)
    let central = CentralApp(world.makeDevice("phone").options)
    let (near, far) = try await channel(to: central, publisher, in: world)
    let thread = IdleThread()
    defer { thread.stop() }
    let talker = Talker()
    talker.use(near, on: thread.runLoop, .default)
    #expect(far.outputStream.write(Data([1])) == 1)
    await world.advance(by: .seconds(1))
    #expect(talker.events.isEmpty && near.inputStream.hasBytesAvailable)
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
