import BLESession
import CoreBluetooth

extension DescribedDevice {
  /// Calls `tell` synchronously on the session's queue for each of the device's notifications from now on, over all reconnections: none is
  /// buffered or dropped. Damaged frames and messages unknown to the description are omitted. `tell` must return quickly.
  /// - Returns: the observations; cancelling them stops the calls.
  package func observeNotifications(
    _ tell: @escaping @Sendable (DescribedNotification) -> Void
  ) async -> [Observation] {
    var observations: [Observation] = []
    for entry in description.notifications {
      guard let path = entry.path else { continue }
      observations.append(
        await session.observeValues(from: path) { value in
          if let said = entry.read(DescribedMessage(payload: value)) { tell(said) }
        })
    }
    let (codec, spoken) = (codec, description.notifications.filter { $0.path == nil })
    guard let queue, !spoken.isEmpty else { return observations }
    let number = await queue.core.value { core in
      core.unsolicited.add { content in
        let message = codec.message(of: content)
        if let said = spoken.lazy.compactMap({ $0.read(message) }).first { tell(said) }
      } finish: {
      }
    }
    return observations + [Observation { queue.core.perform { $0.unsolicited.remove(number) } }]
  }

  /// The device's notifications from now on. Damaged frames and messages unknown to the description are omitted; a slow reader misses the
  /// oldest beyond 256.
  public func notifications() -> AsyncStream<DescribedNotification> {
    AsyncStream(bufferingPolicy: .bufferingNewest(256)) { continuation in
      let ends = Guarded<[@Sendable () -> Void]>([])
      continuation.onTermination = { _ in for end in ends.with({ $0 }) { end() } }
      for entry in description.notifications {
        guard let path = entry.path else { continue }
        session.core.perform { core in
          let number = core.subscribe(path) { value in
            entry.say(DescribedMessage(payload: value), to: continuation)
          } finish: {
            continuation.finish()
          }
          ends.with { $0.append { [weak self] in self?.session.core.perform { $0.unsubscribe(number) } } }
        }
      }
      let (codec, spoken) = (codec, description.notifications.filter { $0.path == nil })
      guard let queue, !spoken.isEmpty else { return }
      queue.core.perform { core in
        let number = core.unsolicited.add { content in
          let message = codec.message(of: content)
          _ = spoken.contains { $0.say(message, to: continuation) }
        } finish: {
          continuation.finish()
        }
        ends.with { $0.append { [weak queue] in queue?.core.perform { $0.unsolicited.remove(number) } } }
      }
    }
  }
}

extension DeviceNotification {
  /// Yields the message if it is this notification. Returns whether it is.
  @discardableResult
  fileprivate func say(
    _ message: DescribedMessage, to continuation: AsyncStream<DescribedNotification>.Continuation
  ) -> Bool {
    guard let said = read(message) else { return false }
    continuation.yield(said)
    return true
  }

  /// What the message says; `nil` where it is not this notification.
  fileprivate func read(_ message: DescribedMessage) -> DescribedNotification? {
    layout.decode(message).map { DescribedNotification(name: name, readings: $0) }
  }
}
