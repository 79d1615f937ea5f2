import BLECore
import BLEVirtualRadio

/// Replays a recorded RSSI between two devices. On the loop; background for it.
final class TracePlayer: TimerTarget {
  private let trace: RSSITrace
  private let ending: RSSITrace.Ending
  // The loop keeps this object for as long as a timer is set: it must not be kept by it in turn.
  private weak var one: DeviceRadio?
  private weak var other: DeviceRadio?
  private var began: StackInstant
  private var next = 0
  private var timer = TimerToken()

  init(_ trace: RSSITrace, _ ending: RSSITrace.Ending, between one: DeviceRadio, and other: DeviceRadio) {
    self.trace = trace
    self.ending = ending
    self.one = one
    self.other = other
    began = one.loop.now
    timerFired(tag: 0)
  }

  /// The RSSI follows from distance and walls again.
  func stop() {
    one?.loop.cancel(timer)
    set(nil)
  }

  private func set(_ level: Double?) {
    guard let air = one?.air, let first = one?.controller, let second = other?.controller else { return }
    air.setSignal(level, between: first, and: second)
  }

  func timerFired(tag: Int) {
    guard let loop = one?.loop else { return }
    if next == trace.samples.count {
      switch ending {
      case .holds: return
      case .ends: return set(nil)
      case .repeats:
        began = began + max(.milliseconds(1), StackDuration(trace.duration))
        next = 0
      }
    }
    set(trace.samples[next].level)
    next += 1
    let time = next < trace.samples.count ? trace.samples[next].time : trace.duration
    timer = loop.schedule(at: began + StackDuration(time), .background, self, tag: 0)
  }
}
