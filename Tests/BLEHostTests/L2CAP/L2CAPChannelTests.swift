import BLEAdapter
import BLECore
import BLEHost
import BLEWire
import Testing

/// Two ends of a link in memory, of which the second publishes PSM 0x80.
private final class ChannelLinks: L2CAPLinkOwner {
  let pair: LinkPair
  var accepted: [TestChannel] = []
  var takes = true

  init(fragmentLength: Int = 251) {
    pair = LinkPair(fragmentLength: fragmentLength)
    pair.peripheral.owner = self
  }

  func link(_ link: L2CAPLink, refusalOf multiplexer: ProtocolServiceMultiplexer) -> L2CAPConnectionResult? {
    multiplexer.rawValue == 0x80 ? nil : .spsmNotSupported
  }

  func link(_ link: L2CAPLink, didOpen channel: L2CAPChannel) {
    if takes { accepted.append(TestChannel(channel)) }
  }

  func run(_ duration: StackDuration = .milliseconds(10)) async {
    await pair.loop.run(until: .instant(pair.loop.now + duration))
  }

  func open(_ multiplexer: UInt16 = 0x80) async -> Result<L2CAPChannel, L2CAPChannelFailure>? {
    var result: Result<L2CAPChannel, L2CAPChannelFailure>?
    pair.central.openChannel(ProtocolServiceMultiplexer(multiplexer)) { result = $0 }
    await run()
    return result
  }
}

@Suite struct L2CAPChannelTests {
  @Test("a channel is enhanced where both sides support that, and ordinary where one does not")
  func aChannelIsEnhancedWhereBothSidesSupport() async throws {
    let both = ChannelLinks()
    #expect(try await both.open()?.get().mode == .enhancedCreditBased)
    let one = ChannelLinks()
    one.pair.peripheral.usesEnhancedChannels = false
    #expect(try await one.open()?.get().mode == .leCreditBased)
    let frames = one.pair.centralCarrier.frameCount
    #expect(try await one.open()?.get().mode == .leCreditBased)
    #expect(one.pair.centralCarrier.frameCount == frames + 1, "the peer is not asked again for what it has not")
    let other = ChannelLinks()
    other.pair.central.usesEnhancedChannels = false
    #expect(try await other.open()?.get().mode == .leCreditBased)
  }

  @Test("five channels are opened by one request, and each end knows the other's identifier")
  func fiveChannelsAreOpenedByOneRequest() async throws {
    let links = ChannelLinks()
    var opened: [L2CAPChannel] = []
    links.pair.central.openChannels(5, to: ProtocolServiceMultiplexer(0x80), mode: .enhancedCreditBased) {
      opened = (try? $0.get()) ?? []
    }
    await links.run()
    #expect(opened.count == 5 && links.accepted.count == 5)
    #expect(links.pair.centralCarrier.frameCount == 1)
    #expect(Set(opened.map(\.identifier)).count == 5)
    for (near, far) in zip(opened, links.accepted) {
      let far = try #require(far.channel as? L2CAPChannel)
      #expect(near.peerIdentifier == far.identifier && far.peerIdentifier == near.identifier)
      #expect(near.credits == far.grantedCredits && far.credits == near.grantedCredits)
    }
  }

  @Test("an unpublished PSM is refused, and a channel that is not accepted is closed")
  func anUnpublishedPSMIsRefused() async {
    let links = ChannelLinks()
    let refusal = await links.open(0x90)
    #expect(throws: L2CAPChannelFailure.refused(.spsmNotSupported)) { try refusal?.get() }
    links.takes = false
    let channel = try? await links.open()?.get()
    #expect(channel?.isClosed == true)
    #expect(links.pair.central.channelCount == 0 && links.pair.peripheral.channelCount == 0)
  }

  @Test("octets arrive as they were sent, whatever the fragments", arguments: [23, 27, 100, 251, 2_000])
  func octetsArriveAsTheyWereSent(fragmentLength: Int) async throws {
    let links = ChannelLinks(fragmentLength: fragmentLength)
    let near = TestChannel(try #require(try await links.open()?.get()))
    let far = try #require(links.accepted.first)
    let entropy = SeededEntropy(seed: 0xC0C)
    var (there, back): ([UInt8], [UInt8]) = ([], [])
    var sent = 0
    for _ in 0..<60 {
      let (more, other) = (
        entropy.octets(Int(entropy.uniform(0..<9_000))), entropy.octets(Int(entropy.uniform(0..<900)))
      )
      there += more
      back += other
      near.channel.send(more) { sent += 1 }
      far.channel.send(other) { sent += 1 }
      await links.run(.microseconds(Int64(entropy.uniform(0..<200))))
    }
    await links.run(.seconds(10))
    #expect(far.received == there && near.received == back)
    #expect(sent == 120)
  }

  @Test("unread octets and granted frames never exceed the window, whatever the reader does")
  func unreadOctetsAndGrantedFramesNeverExceedTheWindow() async throws {
    let links = ChannelLinks()
    let near = try #require(try await links.open()?.get())
    let far = try #require(links.accepted.first)
    let end = try #require(far.channel as? L2CAPChannel)
    far.readsAtOnce = false
    let entropy = SeededEntropy(seed: 0xF10)
    let octets = entropy.octets(500_000)
    var isSent = false
    near.send(octets) { isSent = true }
    await links.run(.milliseconds(50))
    #expect(near.credits == 0 && end.unreadOctets > 60_000)
    while !isSent || end.unreadOctets > 0 {
      #expect(end.unreadOctets + end.grantedCredits * 247 <= 65_536)
      far.channel.consume(Int(entropy.uniform(0..<7_000)))
      await links.run(.microseconds(Int64(entropy.uniform(0..<300))))
    }
    #expect(far.received == octets)
    // No more than there is can be read.
    far.channel.consume(1_000_000)
    await links.run()
    #expect(end.unreadOctets == 0 && end.grantedCredits > 265 * 3 / 4 - 1)
  }

  @Test("I11 as many frames are sent as the peer has given credits for, and no more before it gives others")
  func credits() async throws {
    let links = ChannelLinks()
    let near = try #require(try await links.open()?.get())
    let far = try #require(links.accepted.first)
    far.readsAtOnce = false
    let granted = Int(near.credits)
    let before = links.pair.centralCarrier.frameCount
    near.send([UInt8](repeating: 7, count: 200_000)) {}
    await links.run(.seconds(1))
    #expect(near.credits == 0 && !near.isClosed)
    #expect(links.pair.centralCarrier.frameCount - before == granted)
    far.channel.consume(40_000)
    await links.run(.seconds(1))
    let more = links.pair.centralCarrier.frameCount - before - granted
    #expect(near.credits == 0 && more > 100 && more <= 40_000 / 247 + 1)
  }

  @Test("a closed channel sends its pending octets, then ends; a lost link ends it immediately")
  func aClosedChannelSendsItsPendingOctets() async throws {
    let links = ChannelLinks()
    let near = TestChannel(try #require(try await links.open()?.get()))
    let far = try #require(links.accepted.first)
    near.channel.send([UInt8](repeating: 7, count: 100_000)) {}
    near.channel.close()
    near.channel.send([9]) { Issue.record("sent after the end") }
    await links.run(.seconds(1))
    #expect(far.received.count == 100_000)
    #expect(near.ends == [.requested] && far.ends == [.closedByPeer])
    let second = TestChannel(try #require(try await links.open()?.get()))
    links.pair.central.close(.timedOut)
    #expect(second.ends == [.timedOut])
    links.pair.peripheral.close(.lost)
    #expect(links.accepted.last?.ends == [.lost])
  }

  @Test("a channel whose peer gives no credits is still closed, after 30 s")
  func aChannelWhosePeerGivesNoCreditsIsStillClosed() async throws {
    let links = ChannelLinks()
    let near = TestChannel(try #require(try await links.open()?.get()))
    links.accepted[0].readsAtOnce = false
    near.channel.send([UInt8](repeating: 7, count: 100_000)) {}
    near.channel.close()
    await links.run(.seconds(29))
    #expect(near.ends.isEmpty && links.pair.central.isFinishingChannels)
    await links.run(.seconds(2))
    #expect(near.ends == [.requested] && links.accepted[0].ends == [.closedByPeer])
  }

  @Test("both sides may close simultaneously")
  func bothSidesMayCloseSimultaneously() async throws {
    let links = ChannelLinks()
    let near = TestChannel(try #require(try await links.open()?.get()))
    near.channel.close()
    links.accepted[0].channel.close()
    await links.run(.seconds(31))
    #expect(near.ends.count == 1 && links.accepted[0].ends.count == 1)
    #expect(links.pair.central.channelCount == 0 && links.pair.peripheral.channelCount == 0)
  }

  @Test("channels that send simultaneously take turns, and leave room for other protocols")
  func channelsThatSendSimultaneouslyTakeTurns() async throws {
    let links = ChannelLinks()
    var near: [L2CAPChannel] = []
    for _ in 0..<4 { near.append(try #require(try await links.open()?.get())) }
    for channel in near { channel.send([UInt8](repeating: 7, count: 50_000)) {} }
    #expect(links.pair.central.queuedFrames <= 32)
    var spread = 0
    while links.accepted.contains(where: { $0.received.count < 50_000 }) {
      await links.run(.microseconds(20))
      let counts = links.accepted.map(\.received.count)
      spread = max(spread, (counts.max() ?? 0) - (counts.min() ?? 0))
    }
    #expect(spread < 10_000)
  }
}
