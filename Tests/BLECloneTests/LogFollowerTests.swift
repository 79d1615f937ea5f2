import BLECapture
import BLEClone
import BLECore
import BLEWire
import Testing

@Suite struct LogFollowerTests {
  @Test("I14.1 a log of one link becomes its PDUs in order, with time, direction and link")
  func aLinkBecomesItsPDUs() {
    var log = LogScript()
    log.connect(LogScript.lamp, 0x40)
    log.ask([0x0A, 3, 0])
    log.answer([0x0B, 7])
    log.answer([0x1B, 5, 0, 1])
    log.disconnect(0x40, reason: 0x08)
    let device = log.device(LogScript.lamp)
    #expect(device.pdus.map(\.octets) == [[0x0A, 3, 0], [0x0B, 7], [0x1B, 5, 0, 1]])
    #expect(device.pdus.map(\.isFromDevice) == [false, true, true])
    #expect(device.pdus.map(\.time.nanoseconds) == [1_000_000, 2_000_000, 3_000_000])
    #expect(device.links.map(\.number) == [1])
    #expect(device.links.first?.parameters == [LinkParameters(interval: 24, latency: 0, supervisionTimeout: 72)])
    #expect(device.links.first?.ended?.nanoseconds == 4_000_000)
    #expect(device.links.first?.endReason == 0x08)
  }

  @Test("I14.1 links of several devices and controllers that are mixed are kept apart, also in the middle of frames")
  func mixedLinksAreKeptApart() {
    var log = LogScript()
    let long = [0x0B] + Array<UInt8>(1...60)
    log.connect(LogScript.lamp, 0x40)
    log.connect(LogScript.scale, 0x41)
    // The other controller has a link of the same number.
    log.connect(LogScript.scale, 0x40, on: 1)
    var pieces = LogScript()
    pieces.frame(long, 0x40, .received)
    var others = LogScript()
    others.frame(Array(long.reversed().dropLast()) + [9], 0x40, .received, on: 1)
    let reply: [UInt8] = [0x0B] + Array(repeating: 9, count: 60)
    var third = LogScript()
    third.frame(reply, 0x41, .received)
    for index in pieces.packets.indices {
      for source in [pieces, third] {
        if case .hci(let hci, let direction) = source.packets[index].content {
          log.add(hci.kind, hci.octets, direction)
        }
      }
      if case .hci(let hci, let direction) = others.packets[index].content {
        log.add(hci.kind, hci.octets, direction, on: 1)
      }
    }
    #expect(log.device(LogScript.lamp).pdus.map(\.octets) == [long])
    let scale = log.device(LogScript.scale)
    #expect(scale.pdus.map(\.octets) == [reply])
    #expect(scale.links.map(\.number) == [2, 3])
  }

  @Test("I14.1 what cannot be followed is counted: links from before the log, pieces without a beginning, cut packets")
  func whatCannotBeFollowedIsCounted() {
    var log = LogScript()
    log.ask([0x0A, 3, 0], 0x42)
    log.connect(LogScript.lamp, 0x40)
    log.add(.aclData, [0x40, 0x10, 1, 0, 9], .received)
    var packets = log.packets
    packets.append(
      CapturedPacket(
        timestamp: .virtualOrigin, content: .hci(HCIPacket(kind: .aclData, octets: [0x40, 0x20, 9, 0, 1]), .received),
        isCut: true))
    var follower = LogFollower()
    let events = packets.flatMap { follower.follow($0) }
    #expect(follower.framesOfUnknownLinks == 1)
    #expect(follower.cutPackets == 1)
    #expect(events.filter { $0.content == .damaged }.count == 2)
  }

  @Test("I14.1 a link that was not made is no link, and a reset ends all of its controller")
  func aResetEndsLinks() {
    var log = LogScript()
    log.connect(LogScript.scale, 0x41, status: 0x3E)
    log.connect(LogScript.lamp, 0x40)
    log.add(.command, [0x03, 0x0C, 0], .sent, on: 1)
    log.ask([0x0A, 1, 0])
    log.add(.command, [0x03, 0x0C, 0], .sent)
    log.ask([0x0A, 2, 0])
    let (_, follower) = log.followed()
    #expect(follower.linkCount == 1)
    #expect(log.device(LogScript.lamp).pdus.map(\.octets) == [[0x0A, 1, 0]])
  }

  @Test("I14.1 pairing, encryption and parameters are noted, without a key")
  func pairingIsNoted() {
    var log = LogScript()
    log.connect(LogScript.lamp, 0x40)
    log.frame([0x0B, 0x05], 0x40, .received, channel: 6)
    log.frame([0x02, 3, 0, 1, 16, 0, 1], 0x40, .received, channel: 6)
    log.frame([0x06] + Array(repeating: 0xAA, count: 16), 0x40, .received, channel: 6)
    log.event(0x08, [0, 0x40, 0, 1])
    log.event(0x3E, [0x03, 0, 0x40, 0, 6, 0, 4, 0, 200, 0])
    let device = log.device(LogScript.lamp)
    #expect(device.links.first?.demandsSecurity == true)
    #expect(device.links.first?.isPaired == true)
    #expect(device.links.first?.isEncrypted == true)
    #expect(device.links.first?.parameters.last == LinkParameters(interval: 6, latency: 4, supervisionTimeout: 200))
    #expect(!"\(log.followed().events)".contains("170"))
  }

  @Test("I14.1 what the device asks of the log's own server is told from what its server says")
  func theOtherDatabase() {
    var log = LogScript()
    log.connect(LogScript.lamp, 0x40)
    log.answer([0x0A, 1, 0])
    log.ask([0x0B, 1])
    let device = log.device(LogScript.lamp)
    #expect(device.pdus.isEmpty)
    #expect(device.otherDatabasePDUs == 2)
    #expect(device.otherDatabasePDUsFromDevice == 1)
  }

  @Test("I14.1 no more links are followed than can be open")
  func linksAreLimited() {
    var follower = LogFollower()
    var log = LogScript()
    for interface in 0..<300 { log.connect(LogScript.lamp, 0x40, on: interface) }
    for packet in log.packets { _ = follower.follow(packet) }
    #expect(follower.linkCount == LogFollower.linkLimit)
    #expect(follower.ignoredLinks == 300 - LogFollower.linkLimit)
  }
}
