public import BLECapture
public import BLECore
public import BLEHCI
public import BLEWire
import Glibc

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
  private static let delay = StackDuration.milliseconds(200)

  /// Makes the file, or empties it.
  public init(path: String, on loop: any StackLoop, log: Logger) throws(CaptureError) {
    writer = try CaptureFiles.writer(path: path)
    self.loop = loop
    self.log = log
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    let wall = Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    origin = CaptureTimestamp(nanoseconds: wall &- loop.now.nanoseconds)
  }

  public func tapDidHear(_ packet: HCIPacket, _ direction: HCIDirection, at instant: StackInstant) {
    let way: CaptureDirection = direction == .toController ? .sent : .received
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
