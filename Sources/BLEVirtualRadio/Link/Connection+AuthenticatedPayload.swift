import BLECore
import BLEWire

/// LE ping: verifies at intervals that an encrypted link still receives authenticated packets from its peer (Core, Vol 6 Part B 5.1.11.1).
extension Connection {
  private var payloadTimeout: StackDuration { .milliseconds(Int64(encryption.authenticatedPayloadTimeout) * 10) }

  /// The time before the time-out at which a ping is sent: the peer can respond even if packets are lost.
  private var pingMargin: StackDuration {
    min(payloadTimeout / 2, timing.intervalDuration * 6 * (Int64(timing.latency) + 1))
  }

  /// Restarts the timer.
  func armPayloadTimer() {
    encryption.isPinging = false
    schedulePayloadTimer(at: encryption.lastAuthenticated + payloadTimeout - pingMargin)
  }

  /// The host has changed the time-out.
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
      // A packet was received since the timer was set.
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
