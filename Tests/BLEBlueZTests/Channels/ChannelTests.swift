import BLEAdapter
import BLECore
import Glibc
import Testing

@testable import BLEBlueZ

@Suite("L2CAP channels on the kernel's sockets")
struct ChannelTests {
  private static let number = ProtocolServiceMultiplexer(0x0081)

  /// A link with a channel whose far end belongs to the test.
  private struct Opened {
    let fixture: BlueZFixture
    let daemon: ScriptedDaemon
    let far: FarEnd
    let recorder: ChannelRecorder
  }

  private func opened(_ sockets: UnixChannels, _ recorder: ChannelRecorder = ChannelRecorder()) async throws -> Opened {
    let (fixture, daemon) = try await BlueZFixture.withDevice(channelSockets: sockets)
    try await fixture.connected()
    let listener = sockets.farListener(Self.number)
    async let far = FarEnd.accepted(by: listener)
    try await open(fixture, recorder).get()
    return Opened(fixture: fixture, daemon: daemon, far: await far, recorder: recorder)
  }

  private func open(
    _ fixture: BlueZFixture, _ recorder: ChannelRecorder = ChannelRecorder()
  ) async throws -> Result<Void, OperationError> {
    try await fixture.result { link, done in
      link.openChannel(Self.number) { result in done(result.map { recorder.take($0) }) }
    }
  }

  private static func octets(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) } }

  @Test("I12.2 a channel is opened from the adapter to the device, and carries octets in order both ways")
  func octetsBothWays() async throws {
    let sockets = try UnixChannels()
    let recorder = ChannelRecorder(wanted: 20_000)
    let opened = try await opened(sockets, recorder)
    #expect(sockets.asked == ["00:11:22:33:44:55 public to C0:12:34:56:78:9A random"])
    let outwards = Self.octets(100_000)
    let told = opened.fixture.recorder
    await opened.fixture.run { _ in
      recorder.channel?.send([]) { told.note("sent nothing") }
      for start in stride(from: 0, to: outwards.count, by: 12_500) {
        recorder.channel?.send(Array(outwards[start..<start + 12_500])) { told.note("sent \(start)") }
      }
      told.note("asked")
    }
    let units = await opened.far.read(outwards.count)
    #expect(units.joined().elementsEqual(outwards))
    #expect(units.allSatisfy { $0.count <= UnixChannels.sendLimit })
    await told.wait(for: "sent 87500")
    let sent = told.lines.filter { $0.hasPrefix("sent") && $0 != "sent nothing" }
    #expect(sent == stride(from: 0, to: 100_000, by: 12_500).map { "sent \($0)" })
    // Never inside the call.
    #expect(told.lines.firstIndex(of: "asked") ?? .max < told.lines.firstIndex(of: "sent nothing") ?? 0)
    let inwards = Self.octets(20_000)
    #expect(await opened.far.send(stride(from: 0, to: 20_000, by: 400).map { Array(inwards[$0..<$0 + 400]) }))
    await recorder.told.wait(for: "complete")
    #expect(await opened.fixture.run { _ in recorder.octets } == inwards)
  }

  @Test("I12.2 a peer that is not read from is stopped, and none of its octets are lost")
  func backPressure() async throws {
    let recorder = ChannelRecorder(wanted: 1 << 20, reads: false)
    let opened = try await opened(try UnixChannels(), recorder)
    let inwards = Self.octets(1 << 20)
    async let isSent = opened.far.send(stride(from: 0, to: 1 << 20, by: 4_096).map { Array(inwards[$0..<$0 + 4_096]) })
    for number in 1...16 {
      await recorder.told.wait(for: "full", count: number)
      await opened.fixture.run { _ in recorder.consume() }
    }
    await recorder.told.wait(for: "complete")
    #expect(await isSent)
    #expect(await opened.fixture.run { _ in recorder.octets } == inwards)
    #expect(await opened.fixture.run { _ in recorder.peak } == SocketChannel.window)
  }

  @Test(
    "I12.2 where the kernel stops no peer, an unread channel ends before octets inside it are lost")
  func unstopped() async throws {
    let recorder = ChannelRecorder(reads: false)
    let opened = try await opened(try UnixChannels(stopsPeers: false), recorder)
    let unit = [UInt8](repeating: 7, count: 4_096)
    async let isTaken = opened.far.send([[UInt8]](repeating: unit, count: SocketChannel.unstoppedWindow / 4_096 + 256))
    await recorder.told.wait(for: "closed limitReached")
    #expect(await opened.fixture.run { _ in recorder.octets.count } == SocketChannel.unstoppedWindow)
    #expect(await isTaken == false)
    #expect(
      !KernelChannels.stopsPeers("6.1.0-18-amd64") && !KernelChannels.stopsPeers("5.15")
        && !KernelChannels.stopsPeers("x"))
    #expect(
      KernelChannels.stopsPeers("6.10.0") && KernelChannels.stopsPeers("6.12.41+deb13")
        && KernelChannels.stopsPeers("7.0"))
  }

  @Test("I12.2 a closed channel first sends its pending octets, and reads nothing more")
  func closing() async throws {
    let opened = try await opened(try UnixChannels())
    let recorder = opened.recorder
    let outwards = Self.octets(1 << 20)
    await opened.fixture.run { _ in
      recorder.channel?.send(outwards) {}
      recorder.channel?.close()
      recorder.channel?.send([1]) { recorder.told.note("sent after the end") }
    }
    #expect(await opened.far.send([[9]]))
    #expect(await opened.far.read(.max).joined().elementsEqual(outwards))
    await recorder.told.wait(for: "closed requested")
    #expect(recorder.told.lines == ["closed requested"])
    #expect(await opened.fixture.run { _ in recorder.octets.isEmpty })
  }

  @Test("I12.2 octets that a peer sent before it closed are read first, and an SDU without octets is no end")
  func closedByPeer() async throws {
    let opened = try await opened(try UnixChannels())
    // On the loop, so that all of it and the end are there when the channel looks: it gets both together.
    await opened.fixture.run { _ in
      #expect(opened.far.sendAtOnce([[1], [], [2]] + [[UInt8]](repeating: [3], count: 200)))
      opened.far.close()
    }
    await opened.recorder.told.wait(for: "closed closedByPeer")
    #expect(await opened.fixture.run { _ in opened.recorder.octets } == [1, 2] + [UInt8](repeating: 3, count: 200))
    // Octets sent now have no effect.
    await opened.fixture.run { _ in opened.recorder.channel?.send([1]) { opened.recorder.told.note("sent") } }
    #expect(opened.recorder.told.lines == ["closed closedByPeer"])
  }

  @Test("I12.2 octets that a peer sent before it closed are read also where the reader had stopped it")
  func closedWhileStopped() async throws {
    let recorder = ChannelRecorder(reads: false)
    let opened = try await opened(try UnixChannels(), recorder)
    // Octets beyond the window wait in the kernel.
    #expect(await opened.far.send([[UInt8]](repeating: [UInt8](repeating: 7, count: 1_000), count: 90)))
    await recorder.told.wait(for: "full")
    opened.far.close()
    await opened.fixture.run { _ in recorder.consume() }
    await recorder.told.wait(for: "closed closedByPeer")
    #expect(await opened.fixture.run { _ in recorder.octets.count } == 90_000)
  }

  @Test("I12.2 an unpublished channel, or one without a socket, is refused with a remedy")
  func refusals() async throws {
    let sockets = try UnixChannels()
    let log = LinesLog()
    let (fixture, daemon) = try await BlueZFixture.withDevice(
      channelSockets: sockets, log: Logger(label: "test", sink: log))
    try await fixture.connected()
    #expect(try await open(fixture).failure == .channelRefused(code: 2))
    sockets.refuse(EAFNOSUPPORT)
    guard case .notSupported(let text) = try await open(fixture).failure else {
      Issue.record("a channel without sockets")
      return
    }
    #expect(text.contains("modprobe bluetooth") && log.lines.contains { $0 == text })
    for (error, failure): (Int32, OperationError) in [
      (EACCES, .channelRefused(code: 5)), (EMFILE, .channelRefused(code: 4)), (ETIMEDOUT, .timedOut),
      (EHOSTUNREACH, .notConnected),
    ] {
      sockets.refuse(error)
      #expect(try await open(fixture).failure == failure)
    }
    try await fixture.cancel()
    #expect(try await open(fixture).failure == .notConnected)
    _ = daemon
  }

  @Test("I12.2 a central that disconnects opens no more channels, and its link lasts until its octets are sent")
  func leaving() async throws {
    let sockets = try UnixChannels()
    let opened = try await opened(sockets)
    let recorder = opened.recorder
    let listener = sockets.farListener(ProtocolServiceMultiplexer(0x0090))
    sockets.hold()
    let peer = try opened.fixture.peer.identifier
    let told = opened.fixture.recorder
    try await opened.daemon.run { world in
      world.script("Disconnect", at: ScriptedDaemon.device) { request, world in
        told.note("disconnecting")
        world.answer(request)
      }
    }
    let outwards = Self.octets(1 << 20)
    await opened.fixture.run { central in
      told.links[peer]?.openChannel(ProtocolServiceMultiplexer(0x0090)) { _ in told.note("opened") }
      recorder.channel?.send(outwards) { told.note("sent") }
      central.cancelConnection(peer)
    }
    let unopened = await FarEnd.accepted(by: listener)
    // The octets that filled its socket, and then its end.
    _ = await unopened.read(.max)
    #expect(await opened.far.read(.max).joined().elementsEqual(outwards))
    await told.wait(for: "disconnecting")
    #expect(told.lines.filter { ["sent", "disconnecting", "opened"].contains($0) } == ["sent", "disconnecting"])
    #expect(recorder.told.lines == ["closed requested"])
  }

  @Test("I12.2 channels end with the daemon")
  func daemonDies() async throws {
    let opened = try await opened(try UnixChannels())
    try await opened.daemon.die()
    await opened.recorder.told.wait(for: "closed poweredOff")
    #expect(await opened.far.read(1).isEmpty)
  }

  @Test("I12.2 a published channel is opened by centrals until it is unpublished")
  func publishing() async throws {
    let bus = try PrivateBus()
    let sockets = try UnixChannels()
    let peripheral = try await TestPeripheral(on: bus, channelSockets: sockets)
    let recorder = ChannelRecorder(wanted: 3)
    func publish(_ demand: SecurityDemand) async -> Result<ProtocolServiceMultiplexer, PublishError> {
      let role = peripheral.role
      return await peripheral.peer.wait { _, done in role.value.publishChannel(demand: demand) { done($0) } }
    }
    let number = try await publish(.none).get()
    #expect(number.rawValue == 0x80)
    // The security level of a pairing that a central starts.
    #expect(try await peripheral.look { role, _, _ in !role.offersProtectedValues })
    #expect(try await publish(.encryption).get().rawValue == 0x81)
    #expect(try await peripheral.look { role, _, _ in role.offersProtectedValues })
    #expect(sockets.asked == ["00:11:22:33:44:55 none", "00:11:22:33:44:55 encryption"])
    // A channel that the program does not accept is closed.
    let unwanted = try #require(sockets.openFar(number))
    #expect(await unwanted.read(1).isEmpty)
    try await peripheral.look { _, _, events in events.channels = recorder }
    let far = try #require(sockets.openFar(number))
    #expect(await far.send([[1, 2], [3]]))
    await recorder.told.wait(for: "complete")
    #expect(try await peripheral.takeSeen() == ["channel by 1:20", "channel by 1:20"])
    try await peripheral.look { _, _, _ in recorder.channel?.send([4, 5]) {} }
    #expect(await far.read(2) == [[4, 5]])
    let role = peripheral.role
    func unpublish() async -> Bool {
      await peripheral.peer.wait { _, done in role.value.unpublishChannel(number) { done($0) } }
    }
    #expect(await unpublish())
    #expect(await !unpublish())
    #expect(sockets.openFar(number) == nil)
    // The open one stays, until the adapter is removed.
    try await peripheral.look { _, _, _ in recorder.channel?.send([6]) {} }
    #expect(await far.read(1) == [[6]])
    try await peripheral.look { role, _, _ in role.adapterWasLost() }
    await recorder.told.wait(for: "closed poweredOff")
    #expect(sockets.openFar(ProtocolServiceMultiplexer(0x0081)) == nil)
    sockets.refuse(EAFNOSUPPORT)
    #expect(await publish(.none) == .failure(.refused(code: 0x0C)))
    sockets.refuse(ENOBUFS)
    #expect(await publish(.none) == .failure(.outOfSpace))
  }
}
