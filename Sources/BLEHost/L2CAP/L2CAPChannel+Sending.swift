import BLECore
import BLEWire

/// The data queued for sending on a channel, oldest first.
struct L2CAPChannelQueue {
  private struct Chunk {
    let octets: [UInt8]
    let sent: () -> Void
  }

  private var chunks = FIFO<Chunk>()
  /// Where the next frame begins in the first chunk.
  private var offset = 0
  /// The callbacks of chunks whose last frame is with the carrier, each with the number of that frame.
  private var leaving: [(frame: UInt64, sent: () -> Void)] = []
  private var takenFrames: UInt64 = 0
  private var leftFrames: UInt64 = 0
  /// Octets of the current SDU that are in no frame yet.
  private var openSDU = 0

  var isEmpty: Bool { chunks.isEmpty }

  mutating func append(_ octets: [UInt8], sent: @escaping () -> Void) {
    chunks.append(Chunk(octets: octets, sent: sent))
  }

  /// Writes the next frame behind the headroom of `writer`. The queue must not be empty.
  mutating func takeFrame(mtu: Int, mps: Int, into writer: inout ByteWriter) {
    guard let chunk = chunks.first else { return }
    let octets = chunk.octets
    let end: Int
    if openSDU == 0 {
      openSDU = min(Self.fullestSDU(mtu: mtu, mps: mps), octets.count - offset)
      end = offset + min(openSDU, mps - L2CAPFirstKFrame.headerOctetCount)
      L2CAPFirstKFrame(sduLength: UInt16(openSDU), informationPayload: octets[offset..<end]).encode(into: &writer)
    } else {
      end = offset + min(openSDU, mps)
      writer.append(contentsOf: octets[offset..<end])
    }
    openSDU -= end - offset
    offset = end
    takenFrames += 1
    guard end == octets.count else { return }
    leaving.append((takenFrames, chunk.sent))
    _ = chunks.popFirst()
    offset = 0
  }

  /// The longest SDU within the MTU whose last frame is full.
  private static func fullestSDU(mtu: Int, mps: Int) -> Int {
    let frames = (mtu + L2CAPFirstKFrame.headerOctetCount) / mps
    return frames == 0 ? mtu : frames * mps - L2CAPFirstKFrame.headerOctetCount
  }

  /// Records that the oldest frame has been sent; returns the callback of the chunk that this completes.
  mutating func frameLeft() -> (() -> Void)? {
    guard leftFrames < takenFrames else { return nil }
    leftFrames += 1
    guard let oldest = leaving.first, oldest.frame <= leftFrames else { return nil }
    leaving.removeFirst()
    return oldest.sent
  }

  /// Discards everything; no callback is called.
  mutating func removeAll() {
    chunks.removeAll()
    offset = 0
    leaving = []
    leftFrames = takenFrames
    openSDU = 0
  }
}

extension L2CAPChannel {
  /// Sends `octets` as SDUs as the peer's credits allow. For an empty array nothing is sent, and `sent` is called.
  public func send(_ octets: [UInt8], sent: @escaping () -> Void) {
    guard let link, state == .open else { return }
    if octets.isEmpty {
      link.loop.schedule(after: .zero, .work, sent)
      return
    }
    outgoing.append(octets, sent: sent)
    link.pump(self)
  }

  /// Whether data is queued and the peer has granted credits for it.
  var hasFrame: Bool { peer.credits > 0 && !outgoing.isEmpty && (state == .open || state == .draining) }

  /// Returns the next frame, behind the headroom; `nil` without queued data or without credits.
  func takeFrame() -> ByteWriter? {
    guard hasFrame, peer.credits > 0 else { return nil }
    peer.credits -= 1
    var frame = ByteWriter(headroom: L2CAPLink.payloadHeadroom, capacity: Int(peer.mps))
    outgoing.takeFrame(mtu: Int(peer.mtu), mps: Int(peer.mps), into: &frame)
    return frame
  }

  /// Closes a draining channel once its last frame is with the carrier.
  func finishDraining() {
    if state == .draining, outgoing.isEmpty { disconnect(.requested) }
  }

  func oneFrameLeft() {
    let sent = outgoing.frameLeft()
    link?.channelFrameLeft()
    sent?()
  }

  /// Adds credits granted by the peer.
  func receive(credits: UInt16) {
    // A grant of zero credits is ignored (Core, Vol 3 Part A 4.24).
    if credits == 0 { return }
    let (sum, isTooMuch) = peer.credits.addingReportingOverflow(credits)
    if isTooMuch { return closeAfterViolation("the peer granted more than 65,535 credits") }
    peer.credits = sum
    link?.pump(self)
  }
}
