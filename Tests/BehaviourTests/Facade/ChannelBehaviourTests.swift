import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("L2CAP channels", .keepsCapture)
struct ChannelBehaviourTests {
  /// A pair with a channel between its two programs.
  private struct Connected {
    let pair: Pair
    let near: CBL2CAPChannel
    let far: CBL2CAPChannel

    static func start() async throws -> Connected {
      let pair = try await Pair.start([])
      let psm = try await publish(on: pair)
      pair.peripheral.openL2CAPChannel(psm)
      await pair.world.settle()
      return Connected(
        pair: pair, near: try #require(pair.central.channels.first), far: try #require(pair.publisher.channels.first))
    }

    static func publish(on pair: Pair) async throws -> CBL2CAPPSM {
      pair.publisher.manager.publishL2CAPChannel(withEncryption: false)
      await pair.world.settle()
      return try #require(pair.publisher.multiplexers.last)
    }

    func open() {
      for stream in near.streams + far.streams { stream.open() }
    }
  }

  @Test("B8.1 a channel is published under a dynamic PSM, opened from the other side, and reported on both")
  func opened() async throws {
    let pair = try await Pair.start([])
    let first = try await Connected.publish(on: pair)
    let second = try await Connected.publish(on: pair)
    #expect((0x0080...0x00FF).contains(first) && (0x0080...0x00FF).contains(second) && first != second)
    pair.peripheral.openL2CAPChannel(first)
    await pair.world.settle()
    #expect(pair.central.told == ["opened"])
    #expect(pair.publisher.told == ["published", "published", "opened"])
  }

  @Test("B8.1 an unpublished PSM can no longer be opened; open channels stay")
  func unpublished() async throws {
    let connected = try await Connected.start()
    let pair = connected.pair
    connected.open()
    let psm = connected.near.psm
    pair.publisher.manager.unpublishL2CAPChannel(psm)
    await pair.world.settle()
    #expect(pair.publisher.told.last == "unpublished")
    pair.peripheral.openL2CAPChannel(psm)
    await pair.world.settle()
    #expect(pair.central.told.count == 2 && pair.central.errors.count == 1 && pair.central.channels.count == 1)
    #expect(connected.near.outputStream.writeAvailable([1, 2]) == 2)
    await pair.world.advance(by: .seconds(1))
    #expect(connected.far.inputStream.readAvailable() == [1, 2])
  }

  @Test(
    "B8.2 the program transfers the PSM; by convention in a characteristic of two octets, the least significant first"
  )
  func characteristic() async throws {
    #expect(CBUUIDL2CAPPSMCharacteristicString == "ABDD3056-28FA-441D-A470-55A75A52553A")
    let pair = try await Pair.start([])
    let psm = try await Connected.publish(on: pair)
    let value = withUnsafeBytes(of: psm.littleEndian) { Data($0) }
    pair.publisher.manager.add(
      CBMutableService("FF11", [CBMutableCharacteristic(CBUUIDL2CAPPSMCharacteristicString, .read, value: value)]))
    await pair.world.settle()
    await pair.discoverAll()
    try await pair.read(CBUUIDL2CAPPSMCharacteristicString)
    let read = try #require(pair.central.values.first)
    pair.peripheral.openL2CAPChannel(UInt16(read[0]) | UInt16(read[1]) << 8)
    await pair.world.settle()
    #expect(pair.central.channels.first?.psm == psm && pair.publisher.channels.first?.psm == psm)
  }

  @Test("B8.3 streams are delivered neither open nor scheduled, and then call their delegate on its run loop")
  func streams() async throws {
    let connected = try await Connected.start()
    let (near, far) = (connected.near, connected.far)
    for stream in near.streams + far.streams {
      #expect(stream.streamStatus == .notOpen && stream.delegate == nil)
    }
    #expect(near.peer === connected.pair.peripheral && far.peer is CBCentral)
    let thread = RunLoopThread()
    defer { thread.stop() }
    let user = StreamUser(far)
    user.start(on: thread.loop)
    near.outputStream.open()
    #expect(near.outputStream.writeAvailable("hello".utf8) == 5)
    try await connected.pair.world.wait(within: .seconds(5)) { user.received == Array("hello".utf8) }
    #expect(user.inputEvents.prefix(2) == [.openCompleted, .hasBytesAvailable])
    #expect(user.outputEvents.prefix(2) == [.openCompleted, .hasSpaceAvailable])
  }

  @Test("B8.3 a channel that the program does not retain is closed, and the other side gets the end")
  func notKept() async throws {
    let pair = try await Pair.start([])
    let psm = try await Connected.publish(on: pair)
    pair.peripheral.openL2CAPChannel(psm)
    await pair.world.settle()
    let near = try #require(pair.central.channels.first)
    near.inputStream.open()
    await pair.world.advance(by: .seconds(1))
    #expect(near.inputStream.streamStatus == .open)
    pair.publisher.channels = []
    try await pair.world.wait(within: .seconds(5)) { near.inputStream.streamStatus == .atEnd }
    #expect(near.inputStream.streamError == nil)
  }

  @Test("B8.4 the loss of the link is an error of both streams, and an event of both")
  func lost() async throws {
    let connected = try await Connected.start()
    let thread = RunLoopThread()
    defer { thread.stop() }
    let user = StreamUser(connected.near)
    user.start(on: thread.loop)
    connected.pair.device.cutPower()
    await connected.pair.world.advance(by: .seconds(30))
    try await connected.pair.world.wait(within: .seconds(5)) {
      user.inputEvents.last == .errorOccurred && user.outputEvents.last == .errorOccurred
    }
    #expect(connected.near.streams.allSatisfy { $0.streamStatus == .error && $0.streamError is CBError })
  }

  @Test("B8.4 an end of the link that the other side requested is the end of both streams")
  func ended() async throws {
    let connected = try await Connected.start()
    let thread = RunLoopThread()
    defer { thread.stop() }
    let user = StreamUser(connected.far)
    user.start(on: thread.loop)
    connected.near.inputStream.close()
    connected.near.outputStream.close()
    await connected.pair.world.advance(by: .seconds(2))
    try await connected.pair.world.wait(within: .seconds(5)) {
      user.inputEvents.last == .endEncountered
    }
    #expect(connected.far.inputStream.streamError == nil)
  }
}
