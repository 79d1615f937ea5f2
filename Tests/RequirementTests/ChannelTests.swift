import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

/// Two programs with a channel between them.
private struct Talk {
  let world: World
  let phone: Device
  let other: Device
  let client: CentralApp
  let server: PeripheralApp
  let near: CBL2CAPChannel
  let far: CBL2CAPChannel

  static func start(in world: World, withEncryption: Bool = false) async throws -> Talk {
    let phone = world.makeDevice("phone")
    let other = world.makeDevice("other")
    let server = PeripheralApp.channelServer(other.options, withEncryption: withEncryption)
    let client = CentralApp.channelClient(phone.options)
    try await world.wait(within: .seconds(20)) { !client.channels.isEmpty && !server.channels.isEmpty }
    return Talk(
      world: world, phone: phone, other: other, client: client, server: server, near: client.channels[0],
      far: server.channels[0])
  }

  func openStreams() {
    for stream in near.streams + far.streams { stream.open() }
  }
}

/// Octets that repeat after a long period, so that a piece that is lost, doubled or misplaced is noticed.
private func pattern(_ count: Int) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8 &* 7) }
}

@Suite("A3: L2CAP channels", .keepsCapture)
struct ChannelTests {
  @Test("R3.11 a channel is published, found by its characteristic and opened; both programs see it")
  func open() async throws {
    let talk = try await Talk.start(in: World())
    #expect((0x0080...0x00FF).contains(talk.server.multiplexers[0]))
    #expect(talk.client.psm == talk.server.multiplexers[0])
    #expect(talk.near.psm == talk.server.multiplexers[0] && talk.far.psm == talk.near.psm)
    #expect(talk.near.peer === talk.client.peripheral)
    #expect(talk.far.peer is CBCentral)
    for stream in talk.near.streams + talk.far.streams {
      #expect(stream.streamStatus == .notOpen && stream.streamError == nil && stream.delegate == nil)
    }
  }

  @Test("R3.11 octets flow both ways simultaneously by polling, and none is lost")
  func polling() async throws {
    let talk = try await Talk.start(in: World())
    talk.openStreams()
    let (there, back) = (pattern(200_000), pattern(150_000).reversed() as [UInt8])
    var (sentThere, sentBack) = (0, 0)
    var (gotThere, gotBack): ([UInt8], [UInt8]) = ([], [])
    for _ in 0..<5_000 where gotThere.count < there.count || gotBack.count < back.count {
      sentThere += talk.near.outputStream.writeAvailable(there[sentThere...])
      sentBack += talk.far.outputStream.writeAvailable(back[sentBack...])
      await talk.world.advance(by: .milliseconds(50))
      gotThere += talk.far.inputStream.readAvailable()
      gotBack += talk.near.inputStream.readAvailable()
    }
    #expect(gotThere == there)
    #expect(gotBack == back)
  }

  @Test("R3.11 streams call their delegates on a run loop as Foundation's do")
  func runLoops() async throws {
    let talk = try await Talk.start(in: World())
    let threads = (RunLoopThread(), RunLoopThread())
    defer {
      threads.0.stop()
      threads.1.stop()
    }
    let writer = StreamUser(talk.near, writing: pattern(300_000))
    let reader = StreamUser(talk.far, writing: Array("thanks".utf8))
    writer.start(on: threads.0.loop)
    reader.start(on: threads.1.loop)
    try await talk.world.wait(within: .seconds(60)) { reader.received.count == 300_000 && writer.received.count == 6 }
    #expect(reader.received == writer.toWrite)
    #expect(writer.received == reader.toWrite)
    #expect(writer.outputEvents.first == .openCompleted && reader.inputEvents.first == .openCompleted)
    #expect(writer.outputEvents.contains(.hasSpaceAvailable))
    #expect(reader.inputEvents.filter { $0 == .openCompleted }.count == 1)
    // One end closes: the other gets the end event once it has read everything.
    writer.stop()
    try await talk.world.wait(within: .seconds(10)) { reader.inputEvents.last == .endEncountered }
    #expect(reader.outputEvents.last == .endEncountered)
    #expect(talk.far.inputStream.streamStatus == .atEnd && talk.far.inputStream.streamError == nil)
    #expect(!writer.inputEvents.contains(.endEncountered), "a closed stream says nothing")
    #expect(talk.near.inputStream.streamStatus == .closed)
  }

  @Test("R3.11 a reader that does not read stops the writer, and no octet is lost")
  func slowReader() async throws {
    let talk = try await Talk.start(in: World())
    talk.openStreams()
    let octets = pattern(400_000)
    var sent = 0
    for _ in 0..<200 {
      sent += talk.near.outputStream.writeAvailable(octets[sent...])
      await talk.world.advance(by: .milliseconds(50))
    }
    // What can be pending: 64 KiB written here, and at most 64 KiB unread there.
    #expect(sent >= 112 << 10 && sent <= 128 << 10)
    #expect(!talk.near.outputStream.hasSpaceAvailable)
    var got: [UInt8] = []
    while got.count < octets.count, got.count <= sent {
      let piece = talk.far.inputStream.readAvailable(atMost: 6_554)
      got += piece
      sent += talk.near.outputStream.writeAvailable(octets[sent...])
      await talk.world.advance(by: .milliseconds(100))
    }
    #expect(got == octets)
  }

  @Test("R3.11 octets written before a stream was closed still arrive, then the end")
  func closing() async throws {
    let talk = try await Talk.start(in: World())
    talk.openStreams()
    let octets = pattern(60_000)
    #expect(talk.near.outputStream.writeAvailable(octets) == octets.count)
    talk.near.outputStream.close()
    talk.near.inputStream.close()
    // The connection is cancelled as well: its end waits for the channel.
    talk.client.disconnect()
    try await talk.world.wait(within: .seconds(10)) { talk.client.told.last?.hasPrefix("disconnected") == true }
    await talk.world.advance(by: .seconds(1))
    #expect(talk.far.inputStream.streamStatus == .open, "not at the end while there is something to read")
    #expect(talk.far.inputStream.readAvailable() == octets)
    #expect(talk.far.inputStream.streamStatus == .atEnd)
    var octet: UInt8 = 0
    #expect(talk.far.inputStream.read(&octet, maxLength: 1) == 0)
    #expect(talk.far.outputStream.write(&octet, maxLength: 1) == -1)
  }

  @Test("R3.11 an unpublished channel can no longer be opened, and open ones stay")
  func unpublish() async throws {
    let talk = try await Talk.start(in: World())
    talk.openStreams()
    let psm = talk.server.multiplexers[0]
    talk.server.manager.unpublishL2CAPChannel(psm)
    talk.server.manager.unpublishL2CAPChannel(psm)
    await talk.world.settle()
    #expect(talk.server.events.suffix(2) == [.unpublished(psm, nil), .unpublished(psm, .invalidParameters)])
    talk.client.peripheral?.openL2CAPChannel(psm)
    await talk.world.settle()
    #expect(talk.client.channels.count == 1)
    #expect((talk.client.errors.first as? CBError)?.code == .operationNotSupported)
    #expect(talk.near.outputStream.writeAvailable([1, 2, 3]) == 3)
    await talk.world.advance(by: .seconds(1))
    #expect(talk.far.inputStream.readAvailable() == [1, 2, 3])
  }

  @Test("R3.11 the loss of the link is an error of both streams, after the octets received before it")
  func loss() async throws {
    let talk = try await Talk.start(in: World())
    let thread = RunLoopThread()
    defer { thread.stop() }
    talk.openStreams()
    #expect(talk.near.outputStream.writeAvailable([1, 2, 3]) == 3)
    await talk.world.advance(by: .seconds(1))
    talk.other.cutPower()
    try await talk.world.wait(within: .seconds(30)) { talk.client.told.last?.hasPrefix("disconnected") == true }
    await talk.world.advance(by: .seconds(30))
    #expect(talk.near.inputStream.streamStatus == .error)
    #expect((talk.near.inputStream.streamError as? CBError)?.code == .connectionTimeout)
    #expect((talk.near.outputStream.streamError as? CBError)?.code == .connectionTimeout)
    #expect(talk.far.inputStream.readAvailable() == [1, 2, 3])
    #expect(talk.far.inputStream.streamStatus == .error)
    // The event comes on a run loop, also where the stream is scheduled late.
    let user = StreamUser(talk.far)
    user.start(on: thread.loop)
    await talk.world.settle()
    try await talk.world.wait(within: .seconds(5)) { user.inputEvents.last == .errorOccurred }
    #expect(user.outputEvents.last == .errorOccurred)
  }

  @Test("R3.11 a channel that the program does not retain is closed")
  func notKept() async throws {
    let world = World()
    let (phone, other) = (world.makeDevice("phone"), world.makeDevice("other"))
    let server = PeripheralApp.channelServer(other.options)
    server.reactions["opened"] = { [unowned server] in server.channels = [] }
    let client = CentralApp.channelClient(phone.options)
    client.reactions["opened"] = { [unowned client] in for stream in client.channels[0].streams { stream.open() } }
    try await world.wait(within: .seconds(10)) { client.channels.first?.inputStream.streamStatus == .atEnd }
    #expect(server.told.count { $0 == "opened" } == 1)
  }

  @Test("R3.11 a channel that needs encryption is opened once the link is encrypted, and carries octets")
  func encrypted() async throws {
    let talk = try await Talk.start(in: World(), withEncryption: true)
    talk.openStreams()
    #expect(talk.client.errors.isEmpty)
    let octets = pattern(20_000)
    #expect(talk.near.outputStream.writeAvailable(octets) == octets.count)
    await talk.world.advance(by: .seconds(2))
    #expect(talk.far.inputStream.readAvailable() == octets)
  }

  @Test("R3.11 sixteen channels on one link, each with its own octets; one more is refused")
  func many() async throws {
    let talk = try await Talk.start(in: World())
    for _ in 0..<16 { talk.client.peripheral?.openL2CAPChannel(talk.server.multiplexers[0]) }
    await talk.world.settle()
    #expect(talk.client.channels.count == 16 && talk.server.channels.count == 16)
    #expect((talk.client.errors.first as? CBError)?.code == .connectionLimitReached)
    for (index, channel) in talk.client.channels.enumerated() {
      channel.outputStream.open()
      #expect(channel.outputStream.writeAvailable([UInt8](repeating: UInt8(index), count: 5_000)) == 5_000)
    }
    await talk.world.advance(by: .seconds(5))
    var seen: Set<UInt8> = []
    for channel in talk.server.channels {
      channel.inputStream.open()
      let octets = channel.inputStream.readAvailable()
      #expect(octets.count == 5_000 && Set(octets).count == 1)
      seen.formUnion(octets)
    }
    #expect(seen.count == 16)
  }
}
