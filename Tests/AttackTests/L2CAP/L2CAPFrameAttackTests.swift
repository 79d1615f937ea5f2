import BLECore
import CoreBluetooth
import Testing

@Suite("L2CAP: frames and credits")
struct L2CAPFrameAttackTests {
  @Test("L2 SDUs and frames that contradict their lengths close the channel with a reason; the link lives")
  func lengths() async throws {
    let (victim, peer) = try await ChannelVictim.attacked()
    let attacks: [(what: String, frames: [[UInt8]], arrives: Int)] = [
      ("a first frame of no octet", [[]], 0),
      ("a first frame of one octet", [[5]], 0),
      ("an SDU longer than the MTU", [[0x6F, 0x0F, 1, 2, 3]], 0),
      ("the longest SDU that can be said", [[0xFF, 0xFF, 1, 2, 3]], 0),
      ("more octets than the SDU has, in the first frame", [[2, 0, 1, 2, 3]], 0),
      ("more octets than the SDU has, in a later one", [[5, 0, 1, 2, 3], [4, 5, 6]], 3),
      ("a frame longer than the MPS", [[246, 0] + [UInt8](repeating: 1, count: 246)], 0),
      ("a frame much longer than the MPS", [[0x6E, 0x0F] + [UInt8](repeating: 1, count: 3_950)], 0),
    ]
    for (index, attack) in attacks.enumerated() {
      // Each time the next identifier on this side, and the same one on the peer's.
      let own = UInt16(0x40 + index)
      #expect(await victim.answers(to: Attack.open(1), from: peer) == [Attack.opened(1, cid: own)])
      for frame in attack.frames.dropLast() { _ = await victim.answers(to: frame, on: own, from: peer) }
      let answers = await victim.answers(to: try #require(attack.frames.last), on: own, from: peer)
      let identifier = answers.first?.dropFirst().first ?? 0
      #expect(answers == [Attack.close(identifier, theirs: 0x40, own: own)], "\(attack.what)")
      // Frames before the peer has agreed belong to no channel.
      _ = await victim.answers(to: [1, 0, 9], on: own, from: peer)
      _ = await victim.answers(to: Attack.closed(identifier, theirs: 0x40, own: own), from: peer)
      let stream = try #require(victim.channels.last?.inputStream)
      var buffer = [UInt8](repeating: 0, count: 100)
      if attack.arrives > 0 { #expect(stream.read(&buffer, maxLength: 100) == attack.arrives, "\(attack.what)") }
      #expect(stream.streamStatus == .error && stream.streamError != nil, "\(attack.what)")
    }
    #expect(victim.channels.count == attacks.count && !peer.isDisconnected)
    // The whole of it still works.
    let own = UInt16(0x40 + attacks.count)
    #expect(await victim.answers(to: Attack.open(1), from: peer) == [Attack.opened(1, cid: own)])
    #expect(await victim.answers(to: [3, 0, 1, 2, 3], on: own, from: peer) == [])
    #expect(victim.channels.last?.inputStream.hasBytesAvailable == true)
  }

  @Test("L5 more than 65,535 credits close the channel; no credits at all are ignored")
  func credits() async throws {
    let (victim, peer) = try await ChannelVictim.attacked()
    #expect(
      await victim.answers(to: Attack.open(1, credits: 0xFFFF), from: peer) == [Attack.opened(1, cid: 0x40)])
    #expect(await victim.answers(to: Attack.credits(2, cid: 0x40, 0), from: peer) == [])
    #expect(await victim.answers(to: Attack.credits(3, cid: 0x77, 1), from: peer) == [], "of no channel")
    let answers = await victim.answers(to: Attack.credits(4, cid: 0x40, 1), from: peer)
    #expect(answers.map { Array($0.prefix(1) + $0.dropFirst(2)) } == [[0x06, 4, 0, 0x40, 0, 0x40, 0]])
    #expect(await victim.answers(to: Attack.credits(5, cid: 0x40, 1), from: peer) == [], "closed already")
    #expect(!peer.isDisconnected)
  }

  @Test("L5 a peer that gives no credits gets no frame, and one for each credit that it gives")
  func zeroCredits() async throws {
    let (victim, peer) = try await ChannelVictim.attacked()
    _ = await victim.answers(to: Attack.open(1, mps: 23, credits: 0), from: peer)
    let output = try #require(victim.channels.first?.outputStream)
    #expect(output.write([UInt8](repeating: 7, count: 100), maxLength: 100) == 100)
    await victim.run(.seconds(5))
    #expect(peer.frames.allSatisfy { $0.channel == 0x0005 })
    _ = await victim.answers(to: Attack.credits(2, cid: 0x40, 1), from: peer)
    #expect(peer.frames.filter { $0.channel == 0x40 }.map(\.payload) == [[100, 0] + [UInt8](repeating: 7, count: 21)])
    _ = await victim.answers(to: Attack.credits(3, cid: 0x40, 60_000), from: peer)
    #expect(peer.frames.filter { $0.channel == 0x40 }.map(\.payload.count) == [23, 23, 23, 10])
  }

  @Test("L5 a peer that sends without a credit loses the channel, and never more than 64 KiB are kept")
  func withoutCredits() async throws {
    let (victim, peer) = try await ChannelVictim.attacked()
    _ = await victim.answers(to: Attack.open(1), from: peer)
    // 265 credits, and one frame more.
    let frame: [UInt8] = [245, 0] + [UInt8](repeating: 1, count: 245)
    peer.forget()
    victim.onLoop { for _ in 0..<265 { peer.send(frame, on: 0x40) } }
    await victim.run(.seconds(5))
    #expect(peer.answers.isEmpty)
    let answers = await victim.answers(to: frame, on: 0x40, from: peer)
    #expect(answers.map(\.first) == [0x06])
    let input = try #require(victim.channels.first?.inputStream)
    var buffer = [UInt8](repeating: 0, count: 128 << 10)
    #expect(input.read(&buffer, maxLength: buffer.count) == 265 * 245)
    #expect(input.streamStatus == .error && !peer.isDisconnected)
  }

  @Test("L5 frames of one octet use up credits like whole ones, and empty frames store nothing")
  func smallFrames() async throws {
    let (victim, peer) = try await ChannelVictim.attacked()
    _ = await victim.answers(to: Attack.open(1), from: peer)
    var granted = 265
    for _ in 0..<20 {
      peer.forget()
      let count = granted
      victim.onLoop { for index in 0..<count { peer.send(index % 2 == 0 ? [1, 0, 7] : [0, 0], on: 0x40) } }
      await victim.run(.seconds(3))
      granted = 0
      for answer in peer.answers where answer[0] == 0x16 { granted += Int(answer[6]) | Int(answer[7]) << 8 }
      // The next round sends as many: it must not have unlimited credits.
      try #require(granted <= 265, "a window of 265 frames")
    }
    #expect(victim.channels[0].inputStream.streamStatus == .open && !peer.isDisconnected)
  }

  @Test("L5 frames that a peer has credits for, and unread octets, never exceed the window together")
  func window() async throws {
    let (victim, peer) = try await ChannelVictim.attacked()
    _ = await victim.answers(to: Attack.open(1), from: peer)
    let input = try #require(victim.channels.first?.inputStream)
    let frame: [UInt8] = [245, 0] + [UInt8](repeating: 1, count: 245)
    var buffer = [UInt8](repeating: 0, count: 8_000)
    var (credits, unread, read) = (265, 0, 0)
    for round in 0..<60 {
      let count = min(credits, 40)
      peer.forget()
      victim.onLoop { for _ in 0..<count { peer.send(frame, on: 0x40) } }
      await victim.run(.seconds(1))
      credits -= count
      unread += 245 * count
      if round % 4 != 0 {
        let taken = max(0, input.read(&buffer, maxLength: buffer.count))
        unread -= taken
        read += taken
        await victim.run(.milliseconds(300))
      }
      for answer in peer.answers where answer[0] == 0x16 { credits += Int(answer[6]) | Int(answer[7]) << 8 }
      try #require(
        credits * 247 + unread <= 65_536,
        "round \(round): credits for \(credits) frames, and \(unread) octets that were not read")
    }
    #expect(read > 2 * 65_536 && victim.channels[0].inputStream.streamStatus == .open)
  }

  @Test("L9 a program that does not read stops its own channel only")
  func slowReader() async throws {
    let (victim, peer) = try await ChannelVictim.attacked()
    _ = await victim.answers(to: Attack.open(1, cid: 0x40), from: peer)
    _ = await victim.answers(to: Attack.open(2, cid: 0x41), from: peer)
    let frame: [UInt8] = [245, 0] + [UInt8](repeating: 1, count: 245)
    peer.forget()
    victim.onLoop { for _ in 0..<265 { peer.send(frame, on: 0x40) } }
    await victim.run(.seconds(5))
    #expect(peer.answers.isEmpty, "no credits for what nobody reads")
    var buffer = [UInt8](repeating: 0, count: 1_024)
    for round in 0..<8 {
      victim.onLoop { for _ in 0..<64 { peer.send([2, 0, UInt8(round), 7], on: 0x41) } }
      await victim.run(.seconds(1))
      #expect(victim.channels[1].inputStream.read(&buffer, maxLength: 1_024) == 128)
    }
    await victim.run(.seconds(1))
    #expect(peer.answers.allSatisfy { Array($0.prefix(1) + $0[4...5]) == [0x16, 0x41, 0] } && !peer.answers.isEmpty)
    // Reading resumes the other one.
    var all = [UInt8](repeating: 0, count: 64 << 10)
    #expect(victim.channels[0].inputStream.read(&all, maxLength: all.count) == 265 * 245)
    peer.forget()
    await victim.run(.seconds(1))
    #expect(peer.answers.map { Array($0.prefix(1) + $0[4...7]) } == [[0x16, 0x40, 0, 0x09, 0x01]])
  }

  @Test("L6 data for missing channels is dropped, unknown commands are rejected, octet for octet")
  func unknown() async throws {
    let (victim, peer) = try await ChannelVictim.attacked()
    for channel in [0x0000, 0x0001, 0x0002, 0x0003, 0x0007, 0x003F, 0x0040, 0x007F, 0x0080, 0xFFFF] as [UInt16] {
      #expect(await victim.answers(to: [UInt8](repeating: 0x41, count: 40), on: channel, from: peer) == [])
    }
    for code in [0x02, 0x04, 0x08, 0x0A, 0x0C, 0x0E, 0x3C, 0xFF] as [UInt8] {
      let answers = await victim.answers(to: Attack.command(code, 9, [1, 2, 3, 4]), from: peer)
      #expect(answers == [Attack.command(0x01, 9, [0, 0])])
    }
    // Missing channels: the identifiers are returned, the receiver's first.
    #expect(
      await victim.answers(to: Attack.close(9, theirs: 0x41, own: 0x42), from: peer)
        == [Attack.command(0x01, 9, [2, 0, 0x41, 0, 0x42, 0])])
    // An existing one with the wrong identifier of the other end: dropped. With the right one: closed.
    _ = await victim.answers(to: Attack.open(1, cid: 0x55), from: peer)
    #expect(await victim.answers(to: Attack.close(9, theirs: 0x40, own: 0x56), from: peer) == [])
    #expect(
      await victim.answers(to: Attack.close(9, theirs: 0x40, own: 0x55), from: peer)
        == [Attack.closed(9, theirs: 0x40, own: 0x55)])
    #expect(victim.channels[0].inputStream.streamStatus == .atEnd)
    #expect(!peer.isDisconnected)
  }

  @Test("L7 malformed commands are rejected once or ignored, and a rejection is never answered")
  func signaling() async throws {
    let (victim, peer) = try await ChannelVictim.attacked()
    let open = Attack.open(1)
    #expect(
      await victim.answers(to: open + Attack.open(2, cid: 0x41), from: peer) == [Attack.command(0x01, 1, [0, 0])])
    #expect(await victim.answers(to: [0x14, 0] + open.dropFirst(2), from: peer) == [])
    #expect(
      await victim.answers(to: [0x14, 1, 0xFF, 0] + open.dropFirst(4), from: peer) == [Attack.command(0x01, 1, [0, 0])])
    #expect(await victim.answers(to: [0x14, 1], from: peer) == [])
    for reason in 0...3 as ClosedRange<UInt8> {
      for _ in 0..<4 { #expect(await victim.answers(to: Attack.command(0x01, 1, [reason, 0]), from: peer) == []) }
    }
    #expect(await victim.answers(to: Attack.command(0x01, 1, []), from: peer) == [])
    #expect(await victim.answers(to: Attack.command(0x16, 1, [0x40]), from: peer) == [])
    let long = Attack.command(0x14, 3, [UInt8](repeating: 0, count: 96))
    #expect(await victim.answers(to: long, from: peer) == [Attack.command(0x01, 3, [1, 0, 64, 0])])
    #expect(victim.channels.isEmpty && !peer.isDisconnected)
    #expect(await victim.answers(to: open, from: peer) == [Attack.opened(1, cid: 0x40)])
  }

  @Test("L1 fragments that form no frame are dropped, and the link stays")
  func fragments() async throws {
    let (victim, peer) = try await ChannelVictim.attacked()
    _ = await victim.answers(to: Attack.open(1), from: peer)
    let whole: [UInt8] = [5, 0, 0x40, 0, 3, 0, 1, 2, 3]
    peer.forget()
    victim.onLoop {
      // Starts without a header, a continuation of nothing, too many octets, too few.
      for count in 0...3 { peer.send(raw: Array(whole.prefix(count))) }
      peer.send(raw: [1, 2, 3], isFirst: false)
      peer.send(raw: whole + [9])
      peer.send(raw: Array(whole.prefix(6)))
      peer.send(raw: [1, 2, 3, 4], isFirst: false)
      peer.send(raw: Array(whole.prefix(7)))
      peer.send(raw: whole)
    }
    await victim.run(.seconds(2))
    #expect(peer.answers.isEmpty && !peer.isDisconnected)
    var buffer = [UInt8](repeating: 0, count: 100)
    #expect(victim.channels[0].inputStream.read(&buffer, maxLength: 100) == 3)
    #expect(buffer.prefix(3) == [1, 2, 3])
  }

  @Test("L8 connection parameters outside their ranges are refused, and no command is issued")
  func parameters() async throws {
    let victim = ChannelVictim()
    let peer = try await victim.attackedPeripheral()
    let values: [[UInt16]] = [
      [12, 6, 0, 200], [5, 12, 0, 200], [6, 3201, 0, 3200], [6, 12, 500, 3200], [6, 12, 0, 9], [6, 12, 0, 3201],
      [80, 80, 4, 100], [0, 0, 0, 0], [0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF],
    ]
    for value in values {
      let request = Attack.command(0x12, 1, value.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
      #expect(await victim.answers(to: request, from: peer) == [Attack.command(0x13, 1, [1, 0])])
    }
    #expect(victim.taps.connectionUpdates == 0)
    let right = Attack.command(0x12, 2, [24, 0, 40, 0, 0, 0, 0xF4, 0x01])
    #expect(await victim.answers(to: right, from: peer) == [Attack.command(0x13, 2, [0, 0])])
    #expect(victim.taps.connectionUpdates == 1 && !peer.isDisconnected)
  }
}
