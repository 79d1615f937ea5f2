public import BLECapture
public import BLECore
public import BLEHCI
public import BLEWire

/// Writes the packets between a host and its controller to a capture file. On the loop.
///
/// Packets are written with a short delay, many together. A write error ends the capture, which is logged once, and has no other effect.
public final class CaptureTap: HCITap, TimerTarget {
  private let writer: any CaptureWriter
  private let loop: any StackLoop
  private let log: Logger
  private let origin: CaptureTimestamp
  private var isWaiting = false
  private var redaction: CaptureRedaction?
  private static let delay = StackDuration.milliseconds(200)

  /// Makes the file, or empties it.
  /// - Parameter isRedacted: whether keys and other secrets are omitted.
  public init(
    path: String, isRedacted: Bool = false, on loop: any StackLoop, log: Logger
  ) throws(CaptureError) {
    redaction = isRedacted ? CaptureRedaction() : nil
    writer = try CaptureFiles.writer(path: path)
    self.loop = loop
    self.log = log
    origin = .now(on: loop)
  }

  public func tapDidHear(_ packet: HCIPacket, _ direction: HCIDirection, at instant: StackInstant) {
    let way: CaptureDirection = direction == .toController ? .sent : .received
    let packet = redaction?.redacted(packet, way) ?? packet
    writer.write(packet, way, at: CaptureTimestamp(instant, origin: origin))
    guard !isWaiting else { return }
    isWaiting = true
    loop.schedule(after: Self.delay, .background, self, tag: 0)
  }

  public func timerFired(tag: Int) {
    flush()
    // A failed capture needs no timer.
    if let failure = writer.failure {
      log.log(.error, "the capture has ended: \(failure)")
    } else {
      isWaiting = false
    }
  }

  /// Writes everything to the file.
  public func flush() { writer.flush() }
}
