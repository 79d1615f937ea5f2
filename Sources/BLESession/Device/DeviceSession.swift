import CoreBluetooth

/// A session with one device: it connects, discovers, verifies, and reconnects when the link is lost.
///
/// Characteristics are addressed by UUID, so that they stay valid over reconnections. After each reconnection subscriptions are restored
/// and waiting operations carried out; an operation in progress when the link is lost fails.
///
/// ```swift
/// let session = central.session(with: .device(identifier))
/// try await session.connect()
/// let level = try await session.read(CharacteristicPath("2A19", in: "180F"))
/// for await value in session.notifications(from: CharacteristicPath("2A19")) { ... }
/// ```
public final class DeviceSession: Sendable {
  package let core: Confined<DeviceCore>
  /// Retained by the session, because callbacks end with the central.
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

  /// The current state.
  public var state: SessionState {
    get async { await core.value { $0.state } }
  }

  /// The identifier that this host assigned to the device; `nil` before it is known.
  public var identifier: UUID? {
    get async { await core.value { $0.peripheral?.identifier ?? $0.target.identifier } }
  }

  /// Events from now on. A slow consumer loses the oldest of 1,024.
  public func events() -> AsyncStream<TimedEvent> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1_024)) { continuation in
      core.perform { core in
        let number = core.events.add(continuation)
        continuation.onTermination = { [weak self] _ in self?.core.perform { $0.events.remove(number) } }
      }
    }
  }

  /// Calls `tell` synchronously on the session's queue for every event from now on, for consumers that must not lose one, such as a
  /// recorder. `tell` must return quickly.
  public func observe(_ tell: @escaping @Sendable (TimedEvent) -> Void) async {
    await core.value { _ = $0.observe(tell) }
  }

  /// Connects on the user's request, and returns when the session is ready.
  ///
  /// This replaces an automatic effort to connect and has a new budget. From then on the session reconnects when the link is lost, as its
  /// policy says. If the state of Bluetooth is not known yet, the call waits for it.
  /// - Throws: `unavailable`, `budgetSpent`, `attemptsSpent`, `bondLost`, `notVerified`, `disconnected`, `cancelled`.
  public func connect() async throws(SessionError) {
    try await core.reply { core, reply in core.connect(reply) }
  }

  /// Keeps the device connected without a request of the user: connects whenever Bluetooth is on and the device is in range. Does not wait.
  public func keepConnected() { core.perform { $0.keep() } }

  /// Ends the connection or the effort to connect, and returns when the link is down. The session does not reconnect.
  public func disconnect() async {
    _ = try? await core.reply { core, reply in core.disconnect(reply) } as Void
  }

  /// Reads a whole value, also a long one.
  ///
  /// If the characteristic also notifies, Core Bluetooth does not distinguish a notification from the result of a read: the first value
  /// received counts as the result, and listeners receive it as well.
  public func read(_ path: CharacteristicPath) async throws(SessionError) -> Data {
    try await core.reply { core, reply in core.perform(.read(path, reply)) }
  }

  /// Writes with response; returns when the device has acknowledged. For the device's reaction to a command see `CommandQueue`.
  public func write(_ value: Data, to path: CharacteristicPath) async throws(SessionError) {
    try await core.reply { core, reply in core.perform(.write(path, value, reply)) }
  }

  /// Writes without response; returns when the value was passed to the system, which waits until there is room for it.
  public func writeWithoutResponse(_ value: Data, to path: CharacteristicPath) async throws(SessionError) {
    try await core.reply { core, reply in core.perform(.writeWithoutResponse(path, value, reply)) }
  }

  /// Returns the RSSI in dBm. Systems measure at most once a second and delay the answer accordingly.
  public func readRSSI() async throws(SessionError) -> Int {
    try await core.reply { core, reply in core.readSignal(reply) }
  }

  /// Returns the longest value of one write, in octets; 20 without a connection.
  public func maximumWriteLength(withResponse: Bool) async -> Int {
    await core.value { core in
      core.peripheral?.maximumWriteValueLength(for: withResponse ? .withResponse : .withoutResponse) ?? 20
    }
  }

  /// The values that a characteristic notifies from now on; the subscription is restored after each reconnection.
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
