import CoreBluetooth

/// An event of a session, with the device that it concerns.
public struct DeviceNews: Sendable {
  /// The time, by the session's clock.
  public var time: Duration
  /// The event.
  public var event: SessionEvent
  /// The identifier that this host assigned to the device; `nil` before a device was found.
  public var identifier: UUID?
  /// The advertised name, otherwise the name that the system has stored.
  public var name: String?
}

/// An observation that lasts until it is cancelled.
public struct Observation: Sendable {
  private let end: @Sendable () -> Void

  package init(_ end: @escaping @Sendable () -> Void) { self.end = end }

  /// Stops the calls; one that is in progress completes. Further calls have no effect.
  public func cancel() { end() }
}

extension DeviceSession {
  /// Calls `tell` synchronously on the session's queue for every event from now on, with the device that it concerns. `tell` must return
  /// quickly.
  public func observeNews(_ tell: @escaping @Sendable (DeviceNews) -> Void) async -> Observation {
    let core = core
    let number = await core.value { core in
      core.observe { [weak core] timed in
        let identifier = core?.peripheral?.identifier ?? core?.target.identifier
        let heard = identifier.flatMap { core?.central.scanner.discovery($0) }
        tell(
          DeviceNews(
            time: timed.time, event: timed.event, identifier: identifier, name: heard?.name ?? core?.peripheral?.name))
      }
    }
    return Observation { core.perform { $0.stopObserving(number) } }
  }

  /// Calls `tell` synchronously on the session's queue for every value that a characteristic notifies from now on, over all
  /// reconnections: no value is buffered or dropped. `tell` must return quickly.
  public func observeValues(
    from path: CharacteristicPath, _ tell: @escaping @Sendable (Data) -> Void
  ) async -> Observation {
    let core = core
    let number = await core.value { $0.subscribe(path, tell: tell, finish: {}) }
    return Observation { core.perform { $0.unsubscribe(number) } }
  }

  /// Calls `tell` as `observeValues(from:)` does, for every characteristic that can notify, also those that the device has later.
  package func observeAllValues(
    _ tell: @escaping @Sendable (CharacteristicPath, Data) -> Void
  ) async -> Observation {
    let core = core
    let numbers = await core.value { core in
      let subscriptions = Guarded<[CharacteristicPath: Int]>([:])
      let observer = core.observe { [weak core] timed in
        switch timed.event {
        case .ready, .servicesChanged: core?.whenPrepared { [weak core] in core?.subscribeToAll(subscriptions, tell) }
        default: break
        }
      }
      core.subscribeToAll(subscriptions, tell)
      return (observer, subscriptions)
    }
    return Observation {
      core.perform { core in
        core.stopObserving(numbers.0)
        for number in numbers.1.with({ $0.values }) { core.unsubscribe(number) }
      }
    }
  }

  /// Enables the notifications of a characteristic and returns when the device has agreed. From then on `tell` is called as by
  /// `observeValues`.
  /// - Throws: `refused`, `notFound`, `notConnected` unless the session is ready, `connectionLost`.
  public func subscribe(
    to path: CharacteristicPath, _ tell: @escaping @Sendable (Data) -> Void
  ) async throws(SessionError) -> Observation {
    let core = core
    let number = try await core.reply { core, reply in core.subscribe(path, tell: tell, reply) }
    return Observation { core.perform { $0.unsubscribe(number) } }
  }
}

extension DeviceCore {
  fileprivate func subscribeToAll(
    _ known: Guarded<[CharacteristicPath: Int]>, _ tell: @escaping @Sendable (CharacteristicPath, Data) -> Void
  ) {
    for characteristic in services.flatMap(\.characteristics) where characteristic.notifies {
      let path = characteristic.path
      guard known.with({ $0[path] == nil }) else { continue }
      let number = subscribe(path, tell: { tell(path, $0) }, finish: {})
      known.with { $0[path] = number }
    }
  }
}

extension Central {
  /// Scans until it is cancelled, as `discoveries` does, and calls `tell` synchronously on the central's queue for each discovery: none is
  /// dropped. `tell` must return quickly.
  public func observeDiscoveries(
    matching rule: MatchRule = .any, repeats: Bool = false, _ tell: @escaping @Sendable (Discovery) -> Void
  ) async -> Observation {
    let core = core
    let number = await core.value { $0.scanner.add(rule, repeats: repeats, tell) }
    return Observation { core.perform { $0.scanner.remove(number) } }
  }
}
