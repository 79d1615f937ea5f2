import BLECore
import CoreBluetooth
import Measurements
import Testing

@Suite("L2CAP: opening channels")
struct L2CAPOpeningAttackTests {
  @Test("L4 each invalid request for a channel gets its result, and leaves no channel")
  func invalid() async throws {
    let (victim, peer) = try await ChannelVictim.attacked()
    let cases: [(request: [UInt8], result: UInt16)] = [
      (Attack.open(1, spsm: 0x0000), 0x0002), (Attack.open(1, spsm: 0x0025), 0x0002),
      (Attack.open(1, spsm: 0x0090), 0x0002), (Attack.open(1, spsm: 0x0100), 0x0002),
      (Attack.open(1, spsm: 0xFFFF), 0x0002), (Attack.open(1, cid: 0x0000), 0x0009),
      (Attack.open(1, cid: 0x0004), 0x0009), (Attack.open(1, cid: 0x003F), 0x0009),
      (Attack.open(1, cid: 0x0080), 0x0009), (Attack.open(1, cid: 0xFFFF), 0x0009),
      (Attack.open(1, mtu: 22), 0x000B), (Attack.open(1, mps: 22), 0x000B), (Attack.open(1, mps: 65_534), 0x000B),
      (Attack.open(1, spsm: 0x0081), 0x0005),
    ]
    for (request, result) in cases {
      #expect(await victim.answers(to: request, from: peer) == [Attack.refused(1, result)])
    }
    // A request of the wrong length is no request.
    let short = Attack.command(0x14, 7, [0x80, 0, 0x40, 0])
    #expect(await victim.answers(to: short, from: peer) == [Attack.command(0x01, 7, [0, 0])])
    #expect(victim.channels.isEmpty)
    // As many as can ever be opened.
    for index in 0..<UInt16(16) {
      let answers = await victim.answers(to: Attack.open(2, cid: 0x40 + index), from: peer)
      #expect(answers == [Attack.opened(2, cid: 0x40 + index)])
    }
    #expect(victim.channels.count == 16 && !peer.isDisconnected)
  }

  @Test("L4 a source that is already in use is refused, and the channel that has it stays")
  func duplicate() async throws {
    let (victim, peer) = try await ChannelVictim.attacked()
    #expect(await victim.answers(to: Attack.open(1), from: peer) == [Attack.opened(1, cid: 0x40)])
    #expect(await victim.answers(to: Attack.open(2), from: peer) == [Attack.refused(2, 0x000A)])
    let enhanced = Attack.openEnhanced(3, cids: [0x40])
    #expect(await victim.answers(to: enhanced, from: peer) == [Attack.refusedEnhanced(3, 0x000A, count: 1)])
    #expect(victim.channels.count == 1)
    _ = await victim.answers(to: [3, 0, 1, 2, 3], on: 0x40, from: peer)
    #expect(victim.channels[0].inputStream.hasBytesAvailable)
  }

  @Test("L3 each invalid enhanced request gets its result, and no further octet")
  func enhanced() async throws {
    let (victim, peer) = try await ChannelVictim.attacked()
    let cases: [(request: [UInt8], answer: [UInt8])] = [
      // No channel, six of them, half of an identifier, a truncated fixed part.
      (Attack.openEnhanced(1, cids: []), Attack.refusedEnhanced(1, 0x000C, count: 0)),
      (
        Attack.openEnhanced(1, cids: [0x40, 0x41, 0x42, 0x43, 0x44, 0x45]), Attack.refusedEnhanced(1, 0x000C, count: 5)
      ),
      (
        Attack.command(0x17, 1, [0x80, 0, 0, 2, 64, 0, 10, 0, 0x40, 0, 0x41]),
        Attack.refusedEnhanced(1, 0x000C, count: 0)
      ),
      (Attack.command(0x17, 1, [0x80, 0, 0]), Attack.refusedEnhanced(1, 0x000C, count: 0)),
      (Attack.command(0x17, 1, []), Attack.refusedEnhanced(1, 0x000C, count: 0)),
      // A length beyond the frame.
      ([0x17, 1, 0x10, 0, 0x80, 0, 0, 2, 64, 0], Attack.refusedEnhanced(1, 0x000C, count: 0)),
      (Attack.openEnhanced(1, mtu: 63, cids: [0x40]), Attack.refusedEnhanced(1, 0x000B, count: 1)),
      (Attack.openEnhanced(1, mps: 63, cids: [0x40]), Attack.refusedEnhanced(1, 0x000B, count: 1)),
      (Attack.openEnhanced(1, credits: 0, cids: [0x40]), Attack.refusedEnhanced(1, 0x000B, count: 1)),
      (Attack.openEnhanced(1, spsm: 0, cids: [0x40, 0x41]), Attack.refusedEnhanced(1, 0x0002, count: 2)),
      (Attack.openEnhanced(1, spsm: 0x81, cids: [0x40]), Attack.refusedEnhanced(1, 0x0005, count: 1)),
      (Attack.openEnhanced(1, cids: [0x0000, 0x0005]), Attack.refusedEnhanced(1, 0x0009, count: 2)),
    ]
    for (request, answer) in cases {
      #expect(await victim.answers(to: request, from: peer) == [answer])
    }
    #expect(victim.channels.isEmpty)
    // Some of them: the valid ones are opened, in their place.
    let some = Attack.openEnhanced(2, cids: [0x50, 0x50, 0x51])
    #expect(await victim.answers(to: some, from: peer) == [Attack.openedEnhanced(2, 0x000A, cids: [0x40, 0, 0x41])])
    let invalid = Attack.openEnhanced(3, cids: [0x0004, 0x52])
    #expect(await victim.answers(to: invalid, from: peer) == [Attack.openedEnhanced(3, 0x0009, cids: [0, 0x42])])
    let five = Attack.openEnhanced(4, cids: [0x60, 0x61, 0x62, 0x63, 0x64])
    #expect(
      await victim.answers(to: five, from: peer)
        == [Attack.openedEnhanced(4, cids: [0x43, 0x44, 0x45, 0x46, 0x47])])
    #expect(victim.channels.count == 8)
  }

  @Test("L3 each invalid reconfiguration gets its result and changes nothing")
  func reconfiguration() async throws {
    let (victim, peer) = try await ChannelVictim.attacked()
    _ = await victim.answers(to: Attack.openEnhanced(1, mtu: 512, mps: 100, cids: [0x50, 0x51]), from: peer)
    _ = await victim.answers(to: Attack.open(2, cid: 0x60), from: peer)
    let cases: [(request: [UInt8], result: UInt16)] = [
      (Attack.reconfigure(3, mtu: 511, mps: 100, cids: [0x50]), 0x0001),
      (Attack.reconfigure(3, mtu: 512, mps: 99, cids: [0x50, 0x51]), 0x0002),
      (Attack.reconfigure(3, mtu: 512, mps: 100, cids: [0x52]), 0x0003),
      (Attack.reconfigure(3, mtu: 512, mps: 100, cids: [0x60]), 0x0003),
      (Attack.reconfigure(3, mtu: 63, mps: 100, cids: [0x50]), 0x0004),
      (Attack.reconfigure(3, mtu: 512, mps: 63, cids: [0x50]), 0x0004),
      (Attack.reconfigure(3, mtu: 512, mps: 100, cids: []), 0x0004),
      (Attack.reconfigure(3, mtu: 512, mps: 100, cids: [0x50, 0x50]), 0x0004),
      (Attack.reconfigure(3, mtu: 512, mps: 100, cids: [0x50, 0x51, 0x52, 0x53, 0x54, 0x55]), 0x0004),
      (Attack.command(0x19, 3, [0, 2, 100]), 0x0004), (Attack.command(0x19, 3, [0, 2, 100, 0, 0x50]), 0x0004),
    ]
    for (request, result) in cases {
      #expect(await victim.answers(to: request, from: peer) == [Attack.reconfigured(3, result)])
    }
    // A smaller MPS of one channel is a peer's right, and holds immediately.
    #expect(
      await victim.answers(to: Attack.reconfigure(4, mtu: 600, mps: 64, cids: [0x50]), from: peer)
        == [Attack.reconfigured(4, 0)])
    peer.forget()
    #expect(victim.channels[0].outputStream.write([UInt8](repeating: 7, count: 300), maxLength: 300) == 300)
    await victim.run(.milliseconds(300))
    #expect(peer.frames.filter { $0.channel == 0x50 }.map(\.payload.count) == [64, 64, 64, 64, 46])
  }

  @Test("L4 a host without enhanced channels rejects their commands")
  func withoutEnhanced() async throws {
    let victim = ChannelVictim(usesEnhancedChannels: false)
    let peer = try await victim.attacker()
    let reject = Attack.command(0x01, 5, [0, 0])
    #expect(await victim.answers(to: Attack.openEnhanced(5, cids: [0x40]), from: peer) == [reject])
    #expect(await victim.answers(to: Attack.command(0x17, 5, [1]), from: peer) == [reject])
    #expect(await victim.answers(to: Attack.reconfigure(5, mtu: 64, mps: 64, cids: [0x40]), from: peer) == [reject])
    #expect(await victim.answers(to: Attack.open(6), from: peer) == [Attack.opened(6, cid: 0x40)])
  }

  @Test("L9 endless requests get as many channels as a link may have; other links keep running")
  func flood() async throws {
    let victim = ChannelVictim()
    let peer = try await victim.attacker(1)
    let other = try await victim.attacker(2)
    var results: [UInt8: Int] = [:]
    for round in 0..<40 {
      peer.forget()
      victim.onLoop {
        for index in 0..<UInt16(10) {
          peer.signal(Attack.open(UInt8(1 + index), cid: 0x40 + (UInt16(round) * 10 + index) % 64))
        }
      }
      await victim.run(.milliseconds(300))
      for answer in peer.answers where answer.count == 14 { results[answer[12], default: 0] += 1 }
    }
    #expect(victim.channels.count == 16)
    #expect(results[0] == 16)
    #expect((results[4] ?? 0) > 200, "no resources")
    #expect(await victim.answers(to: Attack.open(1), from: other) == [Attack.opened(1, cid: 0x40)])
    _ = await victim.answers(to: [3, 0, 1, 2, 3], on: 0x40, from: other)
    #expect(victim.channels.last?.inputStream.hasBytesAvailable == true)
    #expect(!peer.isDisconnected && !other.isDisconnected)
  }

  @Test("L3 invalid answers open nothing, and the next request is made")
  func answers() async throws {
    let victim = ChannelVictim()
    let peer = try await victim.attackedPeripheral()
    let found = try #require(victim.found)
    /// The victim's request, by its code; answered by `answer` with its identifier.
    func request(_ code: UInt8, _ answer: (UInt8) -> [UInt8]) async throws {
      let asked = try #require(peer.answers.last { $0[0] == code })
      peer.forget()
      let octets = answer(asked[1])
      victim.onLoop { peer.signal(octets) }
      await victim.run(.milliseconds(300))
    }
    // Understood, but the identifier is out of range; twice the same; an MPS that is too small.
    found.openL2CAPChannel(0x80)
    await victim.run(.milliseconds(300))
    try await request(0x17) { Attack.openedEnhanced($0, cids: [0x0004]) }
    #expect(victim.failures.count == 1 && victim.channels.isEmpty)
    // Not understood: the other command is tried, and from now on first.
    found.openL2CAPChannel(0x80)
    await victim.run(.milliseconds(300))
    try await request(0x17) { Attack.command(0x01, $0, [0, 0]) }
    try await request(0x14) { Attack.command(0x15, $0, [0x40, 0, 22, 0, 64, 0, 1, 0, 0, 0]) }
    #expect(victim.failures.count == 2 && victim.channels.isEmpty)
    // The peer assumes that there is a channel: it gets a disconnection request.
    try await request(0x06) { Attack.closed($0, theirs: 0x40, own: 0x42) }
    found.openL2CAPChannel(0x80)
    await victim.run(.milliseconds(300))
    try await request(0x14) { Attack.command(0x15, $0, [0x40, 0, 23, 0, 23, 0, 1, 0, 0, 0]) }
    #expect(victim.channels.count == 1 && victim.failures.count == 2)
    found.openL2CAPChannel(0x80)
    await victim.run(.milliseconds(300))
    try await request(0x14) { Attack.command(0x15, $0, [0x40, 0, 23, 0, 23, 0, 1, 0, 0, 0]) }
    #expect(victim.failures.count == 3, "a name that is in use already")
    // No answer at all.
    found.openL2CAPChannel(0x80)
    await victim.run(.seconds(31))
    #expect(victim.failures.count == 4 && !peer.isDisconnected)
    // Answers to no request.
    for code in [0x07, 0x15, 0x18, 0x1A] as [UInt8] {
      #expect(await victim.answers(to: Attack.command(code, 9, [0x40, 0, 0x40, 0]), from: peer).isEmpty)
    }
    #expect(victim.channels[0].inputStream.streamStatus == .open)
  }

  @Test(
    "L9 I11.12 a peer that answers \"pending\" repeatedly gets 300 s for the whole opening",
    arguments: [false, true])
  func patience(refusesInTheEnd: Bool) async throws {
    let victim = ChannelVictim()
    let peer = try await victim.attackedPeripheral()
    let found = try #require(victim.found)
    found.openL2CAPChannel(0x80)
    await victim.run(.milliseconds(300))
    let asked = try #require(peer.answers.last { $0[0] == 0x17 })[1]
    // Pending: without a reason, for authentication, for authorization.
    for round in 0..<14 {
      await victim.run(.seconds(20))
      victim.onLoop { peer.signal(Attack.refusedEnhanced(asked, 0x000D + UInt16(round % 3), count: 1)) }
    }
    await victim.run(.seconds(10))
    #expect(victim.failures.isEmpty, "290 s")
    if refusesInTheEnd {
      // The other way of opening it has the remaining time.
      victim.onLoop { peer.signal(Attack.refusedEnhanced(asked, 0x0002, count: 1)) }
      await victim.run(.seconds(1))
      #expect(peer.answers.contains { $0[0] == 0x14 })
    }
    await victim.run(.seconds(11))
    #expect(victim.failures.count == 1, "302 s")
    // Its later answers open nothing.
    let late = Attack.openedEnhanced(asked, cids: [0x40])
    #expect(await victim.answers(to: late, from: peer).isEmpty)
    #expect(victim.channels.isEmpty && !peer.isDisconnected)
  }

  @Test("L9 I11.12 a peer that answers \"pending\" one time may answer minutes later")
  func oneWord() async throws {
    let victim = ChannelVictim()
    let peer = try await victim.attackedPeripheral()
    try #require(victim.found).openL2CAPChannel(0x80)
    await victim.run(.milliseconds(300))
    let asked = try #require(peer.answers.last { $0[0] == 0x17 })[1]
    _ = await victim.answers(to: Attack.refusedEnhanced(asked, 0x000E, count: 1), from: peer)
    await victim.run(.seconds(200))
    #expect(victim.failures.isEmpty)
    _ = await victim.answers(to: Attack.openedEnhanced(asked, cids: [0x40]), from: peer)
    #expect(victim.channels.count == 1 && victim.failures.isEmpty)
  }

  @Test(
    "L9 channels that are opened, filled and closed repeatedly leave nothing behind",
    .enabled(if: Allocations.areKnown, "a sanitizer has an allocator of its own"))
  func cycles() async throws {
    await #expect(processExitsWith: .success) {
      let victim = ChannelVictim()
      victim.keepsChannels = false
      let peer = try await victim.attacker()
      let frame: [UInt8] = [245, 0] + [UInt8](repeating: 1, count: 245)
      var done = 0
      /// Half of them end inside a message.
      func cycle() async throws {
        let answer = try #require(await victim.answers(to: Attack.open(1), from: peer).first)
        let own = UInt16(answer[4])
        #expect(answer == Attack.opened(1, cid: own), "cycle \(done)")
        victim.onLoop {
          for _ in 0..<40 { peer.send(frame, on: own) }
          if done % 2 == 0 { peer.send([245, 0, 1, 2, 3], on: own) }
        }
        let closed = await victim.answers(to: Attack.close(9, theirs: own, own: 0x40), from: peer)
        #expect(closed == [Attack.closed(9, theirs: own, own: 0x40)], "cycle \(done)")
        done += 1
      }
      for _ in 0..<70 { try await cycle() }
      let growth = try await Allocations.leftBehind(byEachOf: 240) { goal in
        while done < 70 + goal { try await cycle() }
      }
      // Each carries some 10,000 octets.
      #expect(growth.octets < 500, "\(growth)")
      for index in 0..<UInt16(16) {
        let answer = await victim.answers(to: Attack.open(2, cid: 0x40 + index), from: peer).first
        #expect(answer.map { Array($0[12...]) } == [0, 0], "channel \(index)")
      }
      #expect(!peer.isDisconnected)
    }
  }
}
