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

  /// The channel on which it listens; `nil` between its windows.
  func channel(at time: StackInstant) -> UInt8? {
    guard time >= begin else { return nil }
    let turn = (time - begin) / interval
    return time - begin - interval * turn < window ? UInt8(37 + turn % 3) : nil
  }

  /// Whether a primary packet of the event is received and, if there is one, the auxiliary packet too.
  func hears(
    _ offer: AdvertisingOffer, start: StackInstant, over path: inout AirPath, for listener: any AdvertisingListener
  ) -> Bool {
    var time = start
    let duration = offer.primaryDuration
    let node = listener.node
    let chance = node.chance
    for channel in AdvertisingOffer.primaryChannels where offer.uses(channel) {
      if covers(time, duration: duration, channel: channel),
        node.isFree(for: listener, on: channel, from: time, to: time + duration), path.delivers(chance),
        node.air.isClear(for: offer, channel: channel, from: time, level: path.level, at: node)
      {
        return offer.isLegacy
          || path.delivers(chance)
            && !node.air.isSpoiled(
              channel: offer.auxiliaryChannel, from: time, lasting: duration, level: path.level, at: node.station)
      }
      time = time + offer.channelStep
    }
    return false
  }
}

extension [LEPHY: ListeningWindow] {
  /// The channel on which a listener with these windows listens; LE 1M goes before LE Coded.
  func channel(at time: StackInstant) -> UInt8? {
    self[.le1M]?.channel(at: time) ?? self[.leCoded]?.channel(at: time)
  }
}
