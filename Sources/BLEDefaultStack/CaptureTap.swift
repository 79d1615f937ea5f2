public import BLECapture
public import BLECore
public import BLEHCI
public import BLEWire

/// Writes what passes between a host and its controller to a capture file. On the loop.
///
/// Packets reach the file a moment after they passed, many together. What cannot be written ends the capture, which is told
/// on the log once, and nothing else.
public final class CaptureTap: HCITap, TimerTarget {
  private let writer: any CaptureWriter
  private let loop: any StackLoop
  private let log: Logger
  private let origin: CaptureTimestamp
  private var isWaiting = false
  private var redaction: CaptureRedaction?
  private static let delay = StackDuration.milliseconds(200)

  /// Makes the file, or empties it.
  /// - Parameter isRedacted: leaves keys and other secrets out.
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
    // A capture that has failed stays silent: no timer for what is not written.
    if let failure = writer.failure {
      log.log(.error, "the capture has ended: \(failure)")
    } else {
      isWaiting = false
    }
  }

  /// Brings everything to the file.
  public func flush() { writer.flush() }
}
