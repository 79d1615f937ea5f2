import BLECore
import BLEHost
import BLEWire
import Testing

/// A link whose far end is the test: frames that were sent.
private final class RawLink: L2CAPCarrier, L2CAPChannelReceiver, L2CAPLinkOwner {
  let loop = VirtualLoop()
  private(set) var link: L2CAPLink!
  var sent: [[UInt8]] = []
  var received: [[UInt8]] = []
  var queuedFrames = 0
  var wishes: [L2CAPConnectionParameterUpdateRequest] = []

  init(_ role: LinkRole = .central) {
    link = L2CAPLink(role: role, loop: loop, carrier: Unretained(self))
    link.attributeProtocol = self
    link.owner = self
  }

  /// The link retains its carrier; the test must not create a retain cycle.
  private final class Unretained: L2CAPCarrier {
    weak var target: RawLink?
    init(_ target: RawLink) { self.target = target }
    func send(_ frame: consuming [UInt8], sent: (() -> Void)?) { target?.send(frame, sent: sent) }
    var queuedFrames: Int { target?.queuedFrames ?? 0 }
  }

  func send(_ frame: consuming [UInt8], sent completion: (() -> Void)?) {
    sent.append(frame)
  }
  func receive(_ payload: ArraySlice<UInt8>) { received.append(Array(payload)) }
  func link(_ link: L2CAPLink, acceptsConnectionParameters parameters: L2CAPConnectionParameterUpdateRequest) -> Bool {
    wishes.append(parameters)
    return true
  }

  func feed(_ octets: [UInt8], isFirst: Bool = true) { link.receive(fragment: octets[...], isFirst: isFirst) }
  /// A command on the signaling channel.
  func signal(_ command: [UInt8]) {
    feed([UInt8(truncatingIfNeeded: command.count), UInt8(command.count >> 8), 0x05, 0x00] + command)
  }
}

@Suite struct L2CAPLinkTests {
  private static let read: [UInt8] = [0x03, 0x00, 0x04, 0x00, 0x0A, 0x03, 0x00]

  @Test("a frame in one piece, in two and octet by octet arrives whole")
  func aFrameInOnePiece() {
    for size in [7, 5, 3, 1] {
      let raw = RawLink()
      for start in stride(from: 0, to: Self.read.count, by: size) {
        raw.feed(Array(Self.read[start..<min(start + size, Self.read.count)]), isFirst: start == 0)
      }
      #expect(raw.received == [[0x0A, 0x03, 0x00]])
      #expect(raw.link.statistics == L2CAPStatistics())
    }
  }

  @Test("L1 fragments that fit no frame are dropped and the link stays")
  func fragmentsThatFitNoFrameAreDroppedAndTheLink() {
    let raw = RawLink()
    // A continuation of nothing.
    raw.feed([1, 2, 3], isFirst: false)
    #expect(raw.link.statistics.brokenFrames == 1)
    // Beginnings of 0 to 3 octets, each cut off by the next.
    for count in 0...3 { raw.feed(Array(Self.read.prefix(count))) }
    raw.feed(Self.read)
    #expect(raw.received.count == 1)
    // More octets than the header says, in one fragment and by a continuation.
    raw.feed(Self.read + [0])
    raw.feed(Array(Self.read.prefix(5)))
    raw.feed([1, 2, 3], isFirst: false)
    // Fewer octets than the header says, cut off by the next frame.
    raw.feed(Array(Self.read.prefix(6)))
    raw.feed(Self.read)
    #expect(raw.received == [[0x0A, 0x03, 0x00], [0x0A, 0x03, 0x00]])
    #expect(raw.link.statistics.brokenFrames == 8)
    #expect(raw.sent.isEmpty)
  }

  @Test("L1 a frame longer than its channel accepts is skipped, not stored")
  func aFrameLongerThanItsChannelAcceptsIsSkipped() {
    let raw = RawLink()
    raw.feed([0xFF, 0xFF, 0x04, 0x00] + [UInt8](repeating: 0, count: 23))
    for _ in 0..<2426 { raw.feed([UInt8](repeating: 0, count: 27), isFirst: false) }
    #expect(raw.link.statistics.oversizedFrames == 0)
    raw.feed([UInt8](repeating: 0, count: 65535 - 23 - 2426 * 27), isFirst: false)
    #expect(raw.link.statistics.oversizedFrames == 1)
    raw.feed(Self.read)
    #expect(raw.received.count == 1)
  }

  @Test("L1 random fragments never trap, and no frame longer than its channel accepts is delivered")
  func randomFragmentsNeverTrap() {
    let seed: UInt64 = 0x5EED_0001
    let entropy = SeededEntropy(seed: seed)
    let raw = RawLink()
    for _ in 0..<20_000 {
      var octets = entropy.octets(Int(entropy.uniform(0..<40)))
      if octets.count >= 4, entropy.uniform(0..<2) == 0 {
        octets[0] = UInt8(entropy.uniform(0..<48))
        octets[1] = 0
        octets[2] = UInt8(entropy.uniform(4..<8))
        octets[3] = 0
      }
      raw.feed(octets, isFirst: entropy.uniform(0..<3) != 0)
    }
    #expect(raw.received.allSatisfy { $0.count <= 517 }, "seed \(seed)")
    raw.feed(Self.read)
    #expect(raw.received.last == [0x0A, 0x03, 0x00], "seed \(seed)")
  }

  @Test("L6 unknown channels are dropped and unknown commands rejected")
  func unknownChannelsAreDroppedAndUnknownCommandsRejected() {
    let raw = RawLink()
    raw.feed([0x02, 0x00, 0x40, 0x00, 1, 2])
    raw.feed([0x00, 0x00, 0x01, 0x00])
    #expect(raw.link.statistics.unknownChannels == 2)
    #expect(raw.sent.isEmpty)
    raw.signal([0x3C, 0x07, 0x01, 0x00, 0xAA])
    #expect(raw.sent == [[0x06, 0x00, 0x05, 0x00, 0x01, 0x07, 0x02, 0x00, 0x00, 0x00]])
  }

  @Test("L6 a request to close a missing channel is rejected with its identifiers")
  func aRequestToCloseAMissingChannelIsRejected() {
    let raw = RawLink()
    raw.signal([0x06, 0x09, 0x04, 0x00, 0x41, 0x00, 0x42, 0x00])
    #expect(
      raw.sent == [[0x0A, 0x00, 0x05, 0x00, 0x01, 0x09, 0x06, 0x00, 0x02, 0x00, 0x41, 0x00, 0x42, 0x00]])
  }

  @Test("L7 malformed signaling is rejected or ignored once, and a rejection is never answered")
  func malformedSignalingIsRejectedOrIgnoredOnce() {
    let raw = RawLink()
    let request: [UInt8] = [0x12, 0x01, 0x08, 0x00, 6, 0, 12, 0, 0, 0, 200, 0]
    // Identifier 0, a truncated header, nothing at all.
    raw.signal([0x12, 0x00] + request.dropFirst(2))
    raw.signal([0x12, 0x01, 0x08])
    raw.signal([])
    #expect(raw.sent.isEmpty)
    #expect(raw.link.statistics.ignoredCommands == 3)
    // Two commands in one frame, a length beyond the frame, a length short of the command: one rejection each.
    raw.signal(request + request)
    raw.signal([0x12, 0x02, 0x09, 0x00] + request.dropFirst(4))
    raw.signal([0x12, 0x03, 0x04, 0x00, 6, 0, 12, 0])
    #expect(raw.sent.map { $0[4] } == [0x01, 0x01, 0x01])
    #expect(raw.sent.map { $0[5] } == [0x01, 0x02, 0x03])
    #expect(raw.wishes.isEmpty)
    raw.sent = []
    // Rejections and responses, well-formed or not.
    raw.signal([0x01, 0x05, 0x02, 0x00, 0x00, 0x00])
    raw.signal([0x01, 0x05, 0x00, 0x00])
    raw.signal([0x13, 0x05, 0x02, 0x00, 0x00, 0x00])
    raw.signal([0x07, 0x05, 0x01, 0x00, 0x00])
    #expect(raw.sent.isEmpty)
    // Longer than the signaling MTU.
    raw.signal([0x3C, 0x04, 0x60, 0x00] + [UInt8](repeating: 0, count: 96))
    #expect(raw.sent == [[0x08, 0x00, 0x05, 0x00, 0x01, 0x04, 0x04, 0x00, 0x01, 0x00, 64, 0]])
  }

  @Test("L7 a peer that reads no answers is sent none, and its commands are not stored")
  func aPeerThatReadsNoAnswersIsSentNone() {
    let raw = RawLink()
    raw.queuedFrames = L2CAPLink.answerLimit + 1
    for _ in 0..<1000 { raw.signal([0x3C, 0x07, 0x00, 0x00]) }
    #expect(raw.sent.isEmpty)
    #expect(raw.link.statistics.unansweredCommands == 1000)
    raw.queuedFrames = 0
    raw.signal([0x3C, 0x07, 0x00, 0x00])
    #expect(raw.sent.count == 1)
  }

  @Test(
    "L8 connection parameters outside their ranges are refused without asking",
    arguments: [
      [12, 6, 0, 200], [5, 12, 0, 200], [6, 3201, 0, 3200], [6, 12, 500, 3200], [6, 12, 0, 9], [6, 12, 0, 3201],
      [80, 80, 4, 100],
    ] as [[UInt16]])
  func connectionParametersOutsideTheirRangesAreRefusedWithoutAsking(values: [UInt16]) {
    let raw = RawLink()
    raw.signal([0x12, 0x01, 0x08, 0x00] + values.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
    #expect(raw.wishes.isEmpty)
    #expect(raw.sent == [[0x06, 0x00, 0x05, 0x00, 0x13, 0x01, 0x02, 0x00, 0x01, 0x00]])
  }

  @Test("L8 connection parameters within their ranges go to the owner, and a peripheral does not decide")
  func connectionParametersWithinTheirRangesGoToTheOwner() {
    let request: [UInt8] = [0x12, 0x01, 0x08, 0x00, 6, 0, 12, 0, 0, 0, 200, 0]
    let central = RawLink(.central)
    central.signal(request)
    #expect(central.wishes.map(\.intervalMax) == [12])
    #expect(central.sent == [[0x06, 0x00, 0x05, 0x00, 0x13, 0x01, 0x02, 0x00, 0x00, 0x00]])
    let peripheral = RawLink(.peripheral)
    peripheral.signal(request)
    #expect(peripheral.wishes.isEmpty)
    #expect(peripheral.sent.map { $0[4] } == [0x01])
  }

  @Test("a peripheral's request for parameters ends with the answer, a rejection or the time-out")
  func aPeripheralsRequestForParametersEndsWithTheAnswer() async {
    let raw = RawLink(.peripheral)
    let wish = L2CAPConnectionParameterUpdateRequest(intervalMin: 6, intervalMax: 12, latency: 0, timeout: 200)
    var results: [Result<Void, EndReason>] = []
    raw.link.requestConnectionParameters(wish) { results.append($0) }
    raw.signal([0x13, 0x63, 0x02, 0x00, 0x00, 0x00])
    #expect(results.isEmpty)
    raw.signal([0x13, 0x01, 0x02, 0x00, 0x00, 0x00])
    raw.signal([0x13, 0x01, 0x02, 0x00, 0x00, 0x00])
    raw.link.requestConnectionParameters(wish) { results.append($0) }
    raw.signal([0x13, 0x02, 0x02, 0x00, 0x01, 0x00])
    raw.link.requestConnectionParameters(wish) { results.append($0) }
    await raw.loop.run(until: .instant(.zero + .seconds(31)))
    let texts = results.map { result in
      switch result {
      case .success: "accepted"
      case .failure(let reason): "\(reason)"
      }
    }
    #expect(texts == ["accepted", "refused(code: 1)", "timedOut"])
  }
}
