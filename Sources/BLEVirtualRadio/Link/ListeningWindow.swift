import BLECore
import BLEWire

/// When a scanner or initiator listens, and on which channel: computed, so that scanning needs no timers (Core, Vol 6 Part B 4.4.3).
struct ListeningWindow {
  let begin: StackInstant
  let interval: StackDuration
  let window: StackDuration

  init(begin: StackInstant, interval: StackDuration, window: StackDuration) {
    self.begin = begin
    self.interval = max(interval, .microseconds(625))
    self.window = min(max(window, .microseconds(625)), self.interval)
  }

  /// Whether the whole packet falls into a window on its channel.
  func covers(_ start: StackInstant, duration: StackDuration, channel: UInt8) -> Bool {
    guard start >= begin else { return false }
    let passed = start - begin
    let turn = passed / interval
    guard Int64(channel) == 37 + turn % 3 else { return false }
    return passed - interval * turn + duration <= window
  }

  /// Whether a primary packet of the event is received and, if there is one, the auxiliary packet too.
  func hears(
    _ offer: AdvertisingOffer, start: StackInstant, over path: inout AirPath, chance: SeededEntropy
  ) -> Bool {
    var time = start
    let duration = offer.primaryDuration
    for channel in offer.channelNumbers {
      if covers(time, duration: duration, channel: channel), path.delivers(chance) {
        return offer.isLegacy || path.delivers(chance)
      }
      time = time + offer.channelStep
    }
    return false
  }
}
