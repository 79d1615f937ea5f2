import BLECore
import BLEVirtualRadio

/// Replays a recorded RSSI between two devices. On the loop; background for it.
final class TracePlayer: TimerTarget {
  private let trace: RSSITrace
  private let ending: RSSITrace.Ending
  private let air: Air
  private let radios: (DeviceRadio, DeviceRadio)
  private var began: StackInstant
  private var next = 0
  private var timer = TimerToken()

  init(_ trace: RSSITrace, _ ending: RSSITrace.Ending, on air: Air, between radios: (DeviceRadio, DeviceRadio)) {
    self.trace = trace
    self.ending = ending
    self.air = air
    self.radios = radios
    began = air.loop.now
    timerFired(tag: 0)
  }

  /// The RSSI follows from distance and walls again.
  func stop() {
    air.loop.cancel(timer)
    set(nil)
  }

  private func set(_ level: Double?) {
    guard let one = radios.0.controller, let other = radios.1.controller else { return }
    air.setSignal(level, between: one, and: other)
  }

  func timerFired(tag: Int) {
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
    timer = air.loop.schedule(at: began + StackDuration(time), .background, self, tag: 0)
  }
}
