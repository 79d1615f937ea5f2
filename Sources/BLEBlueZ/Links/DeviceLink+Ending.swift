import BLEAdapter
import BLECore

// Ending the link.

extension DeviceLink {
  /// How long the daemon may take to disconnect.
  private static let closingLimit = StackDuration.seconds(15)
  /// How long a link that nobody wants any more stays for what is still under way on it.
  private static let farewellLimit = StackDuration.seconds(5)
  /// As long for what was written to channels.
  private static let channelFarewellLimit = StackDuration.seconds(10)
  /// A link that is ended right behind a write without response takes it along (seen with 5.82).
  private static let commandFarewell = StackDuration.milliseconds(150)

  /// Ends the link when what was asked of it is done.
  func leave() {
    guard isOwn else { return ended() }
    let now = stack.loop.now
    let since = leavingSince ?? now
    leavingSince = since
    let limit = closingChannels > 0 ? Self.channelFarewellLimit : Self.farewellLimit
    if now - since < limit {
      if !operations.isIdle || commandsUnderWay > 0 || closingChannels > 0 {
        return schedule(after: limit) { $0.leaveIfUnused() }
      }
      if let lastCommand, now - lastCommand < Self.commandFarewell {
        return schedule(after: Self.commandFarewell) { $0.leaveIfUnused() }
      }
    }
    disconnect()
  }

  func disconnect() {
    stopTimer()
    call?.cancel()
    call = nil
    operations.close()
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

  /// There is no link any more, and whoever used it is told.
  func ended(_ reason: EndReason = .requested) {
    stopTimer()
    call?.cancel()
    call = nil
    operations.close()
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

  /// The adapter or the daemon is gone: nothing is left, and nobody is told.
  func drop() {
    stopTimer()
    call?.cancel()
    call = nil
    operations.close()
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
