/// The end of a link on which no notified value is lost.
extension DeviceSession {
  /// Switches off all notifications of this link, and returns when the device has agreed: listeners have had by then what it has notified.
  /// They stay, and hear of the device again after the next connection.
  package func endNotifications() async {
    _ = try? await core.reply { core, reply in core.endNotifications(reply) } as Void
  }

  /// What is listened to, in a fixed order.
  package var listened: [CharacteristicPath] {
    get async { await core.value { $0.subscriptions.wanted.ordered } }
  }
}

extension DeviceCore {
  fileprivate func endNotifications(_ reply: Reply<Void>) {
    guard state == .ready, preparation == nil, !subscriptions.active.isEmpty else { return reply.succeed(()) }
    var left = subscriptions.active.count
    let oneIsOff = {
      left -= 1
      if left == 0 { reply.succeed(()) }
    }
    for path in subscriptions.active.ordered {
      subscriptions.setActive(path, false)
      let off = Reply<Void>()
      off.whenSucceeded = { _ in oneIsOff() }
      off.whenFailed = { _ in oneIsOff() }
      operations.add(Operation(.notify(path, false, off)))
    }
  }
}
