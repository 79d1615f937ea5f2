import BLEAdapter
import BLECore

// Ending the link.

extension DeviceLink {
  /// How long the daemon may take to disconnect.
  private static let closingLimit = StackDuration.seconds(15)
  /// How long an unused link is kept for operations that are still under way.
  private static let lingerLimit = StackDuration.seconds(5)
  /// The same for data written to channels.
  private static let channelLingerLimit = StackDuration.seconds(10)
  /// Disconnecting right after a write without response discards it (seen with 5.82), so the link is kept for this long.
  private static let commandLinger = StackDuration.milliseconds(150)

  /// Ends the link when its pending operations are done.
  func leave() {
    guard isOwn else { return ended() }
    let now = stack.loop.now
    let since = leavingSince ?? now
    leavingSince = since
    let limit = closingChannels > 0 ? Self.channelLingerLimit : Self.lingerLimit
    if now - since < limit {
      if !operations.isIdle || commandsUnderWay > 0 || closingChannels > 0 {
        return schedule(after: limit) { $0.leaveIfUnused() }
      }
      if let lastCommand, now - lastCommand < Self.commandLinger {
        return schedule(after: Self.commandLinger) { $0.leaveIfUnused() }
      }
    }
    disconnect()
  }

  /// Ends what is under way.
  private func stop() {
    stopTimer()
    call?.cancel()
    call = nil
    operations.close()
    transmissionUnitSignals = nil
  }

  func disconnect() {
    stop()
    forgetSubscriptions()
    phase = .closing
    guard let device, let bus = stack.bus else { return ended() }
    call = bus.call(
      "Disconnect", of: BlueZName.device, at: device.path, on: BlueZName.service, timeout: Self.closingLimit
    ) { [weak self] _ in
      guard let self, self.phase == .closing else { return }
      self.ended()
    }
  }

  /// Called when the link no longer exists: notifies its users.
  func ended(_ reason: EndReason = .requested) {
    stop()
    forgetSubscriptions()
    let left = users
    users = []
    changed = nil
    leavingSince = nil
    isOwn = false
    lastCommand = nil
    commandsUnderWay = 0
    device?.attributes.forgetMaximumTransmissionUnit()
    device = nil
    phase = .idle
    if !left.isEmpty { stack.counters.linkEnded(reason) }
    for user in left {
      user.end()
      user.central?.linkEnded(user, reason)
    }
    update()
  }

  /// Called when the adapter or the daemon is gone: discards everything, without events to the central.
  func drop() {
    stop()
    subscriptions = [:]
    let left = users
    users = []
    if !left.isEmpty { stack.counters.linkEnded(.poweredOff) }
    for user in left { user.drop() }
    waiting = []
    device = nil
    phase = .idle
  }
}
