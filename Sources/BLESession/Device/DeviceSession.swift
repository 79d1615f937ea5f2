import CoreBluetooth

/// One device, kept: connected, made ready, used, lost and won back.
///
/// Characteristics are named by their UUIDs, so that nothing goes stale when the device was away. Subscriptions are taken up again
/// after each reconnection, what waits for its turn is carried out then, and what was under way when the link broke fails once.
///
/// ```swift
/// let session = central.session(with: .device(identifier))
/// try await session.connect()
/// let level = try await session.read(CharacteristicPath("2A19", in: "180F"))
/// for await value in session.notifications(from: CharacteristicPath("2A19")) { ... }
/// ```
public final class DeviceSession: Sendable {
  package let core: Confined<DeviceCore>
  /// Kept alive: a session without its central would hear nothing.
  public let central: Central

  init(central: Central, target: DeviceTarget, configuration: SessionConfiguration) {
    self.central = central
    core = central.core.derived { DeviceCore(central: $0, target: target, configuration: configuration) }
  }

  deinit {
    core.perform { core in
      core.disconnect(nil)
      core.subscriptions.finishAll()
      core.events.finish()
    }
  }

  /// Where the session is on its way.
  public var state: SessionState {
    get async { await core.value { $0.state } }
  }

  /// What this host calls the device, once it is known.
  public var identifier: UUID? {
    get async { await core.value { $0.peripheral?.identifier ?? $0.target.identifier } }
  }

  /// What happens from now on. Whoever is slow misses the oldest of 1,024 events.
  public func events() -> AsyncStream<TimedEvent> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1_024)) { continuation in
      core.perform { core in
        let number = core.events.add(continuation)
        continuation.onTermination = { [weak self] _ in self?.core.perform { $0.events.remove(number) } }
      }
    }
  }

  /// Calls `tell` for everything that happens from now on, on the session's own queue at that very moment: for what must not miss an
  /// event, such as a record. It has to be quick.
  public func observe(_ tell: @escaping @Sendable (TimedEvent) -> Void) async {
    await core.value { _ = $0.observe(tell) }
  }

  /// Connects because the user wants it, and returns when the session is ready.
  ///
  /// An effort that the session was making by itself gives way to this one, with a new budget. From then on the device is won back
  /// when it is lost, as the policy says.
  /// Where Bluetooth is only starting, that is waited for.
  /// - Throws: `unavailable`, `budgetSpent`, `attemptsSpent`, `bondLost`, `notVerified`, `disconnected`, `cancelled`.
  public func connect() async throws(SessionError) {
    try await core.reply { core, reply in core.connect(reply) }
  }

  /// Keeps the device without being asked again: connects whenever Bluetooth is on and the device there. Returns at once.
  public func keepConnected() { core.perform { $0.keep() } }

  /// Ends the connection, or the efforts for one, and returns when the link is down. The device is not won back.
  public func disconnect() async {
    _ = try? await core.reply { core, reply in core.disconnect(reply) } as Void
  }

  /// Reads a value, as long as it is.
  ///
  /// Where the characteristic notifies, too, Core Bluetooth does not say which of both a value is: the first that comes counts as
  /// what was read, and whoever listens hears of it as well.
  public func read(_ path: CharacteristicPath) async throws(SessionError) -> Data {
    try await core.reply { core, reply in core.perform(.read(path, reply)) }
  }

  /// Writes with response: returns when the device has acknowledged. What the device then *does* is another matter: see `CommandQueue`.
  public func write(_ value: Data, to path: CharacteristicPath) async throws(SessionError) {
    try await core.reply { core, reply in core.perform(.write(path, value, reply)) }
  }

  /// Writes without response: returns when the value was handed over, which is when there is room for it.
  public func writeWithoutResponse(_ value: Data, to path: CharacteristicPath) async throws(SessionError) {
    try await core.reply { core, reply in core.perform(.writeWithoutResponse(path, value, reply)) }
  }

  /// The strength of the device's signal in dBm. Systems measure it once a second at most: until then they wait with the answer.
  public func readRSSI() async throws(SessionError) -> Int {
    try await core.reply { core, reply in core.readSignal(reply) }
  }

  /// How many octets one write may have; 20 where there is no connection.
  public func maximumWriteLength(withResponse: Bool) async -> Int {
    await core.value { core in
      core.peripheral?.maximumWriteValueLength(for: withResponse ? .withResponse : .withoutResponse) ?? 20
    }
  }

  /// Listens to a characteristic from now on: the device is asked to notify, now and after each reconnection.
  public func notifications(
    from path: CharacteristicPath, buffering: Notifications.Buffering = .newest(256)
  ) -> Notifications {
    let dropped = Guarded(0)
    let policy: AsyncStream<Data>.Continuation.BufferingPolicy =
      switch buffering {
      case .newest(let count): .bufferingNewest(count)
      case .oldest(let count): .bufferingOldest(count)
      case .all: .unbounded
      }
    let stream = AsyncStream(Data.self, bufferingPolicy: policy) { continuation in
      core.perform { core in
        let number = core.subscribe(
          path,
          tell: { value in if case .dropped = continuation.yield(value) { dropped.with { $0 += 1 } } },
          finish: { continuation.finish() })
        continuation.onTermination = { [weak self] _ in self?.core.perform { $0.unsubscribe(number) } }
      }
    }
    return Notifications(stream: stream, dropped: dropped)
  }
}
