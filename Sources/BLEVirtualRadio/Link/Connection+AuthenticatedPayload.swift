import BLECore
import BLEWire

/// An encrypted link hears from its peer, and not from anybody else, now and then: LE ping (Core, Vol 6 Part B 5.1.11.1).
extension Connection {
  private var payloadTimeout: StackDuration { .milliseconds(Int64(encryption.authenticatedPayloadTimeout) * 10) }

  /// So long before the time-out the peer is asked: time for it to answer, though packets get lost.
  private var pingMargin: StackDuration {
    min(payloadTimeout / 2, timing.intervalDuration * 6 * (Int64(timing.latency) + 1))
  }

  /// Begins to count anew.
  func armPayloadTimer() {
    encryption.isPinging = false
    schedulePayloadTimer(at: encryption.lastAuthenticated + payloadTimeout - pingMargin)
  }

  /// The host has set another time-out.
  func setPayloadTimeout(_ timeout: UInt16) {
    encryption.authenticatedPayloadTimeout = timeout
    guard encryption.receiveCipher != nil else { return }
    encryption.lastAuthenticated = loop.now
    armPayloadTimer()
  }

  private func schedulePayloadTimer(at time: StackInstant) {
    loop.cancel(encryption.payloadTimer)
    encryption.payloadTimer = loop.schedule(
      at: max(time, loop.now), .background, self, tag: Timer.authenticatedPayload.rawValue)
  }

  func payloadTimerFired() {
    guard isOpen else { return }
    let end = encryption.lastAuthenticated + payloadTimeout
    if loop.now >= end {
      encryption.lastAuthenticated = loop.now
      armPayloadTimer()
      controller.reportPayloadTimeout(of: self)
    } else if loop.now < end - pingMargin {
      // Something came in since the timer was set.
      armPayloadTimer()
    } else {
      if !encryption.isPinging, encryption.phase == .on {
        encryption.isPinging = true
        send(control: PingRequest().payload)
      }
      schedulePayloadTimer(at: end)
    }
  }
}
