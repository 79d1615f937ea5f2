import CoreBluetooth

/// The peripheral role: services as values, handlers for reads and writes, and pushes that wait for room.
///
/// ```swift
/// let peripheral = PeripheralSession(services: [ServiceDeclaration(CBUUID(string: "FF11"), [line])])
/// try await peripheral.start(advertising: AdvertisingPlan(localName: "My dear", services: [CBUUID(string: "FF11")]))
/// try await peripheral.push(Data("hello".utf8), to: CharacteristicPath("FF22"))
/// ```
public final class PeripheralSession: Sendable {
  package let core: Confined<PeripheralCore>

  /// - Parameters:
  ///   - services: the services that are published whenever Bluetooth is powered on, also again after power-off.
  ///   - restoreIdentifier: the identifier under which the system preserves the services when the process ends; the next process replaces
  ///     them by its own.
  ///   - options: further options of `CBPeripheralManager`.
  ///   - clock: the clock for timeouts; tests pass a simulated world's.
  public init(
    services: [ServiceDeclaration], restoreIdentifier: String? = nil, options: [String: Any]? = nil,
    clock: any SessionClock = SystemSessionClock()
  ) {
    var options = options ?? [:]
    if let restoreIdentifier { options[CBPeripheralManagerOptionRestoreIdentifierKey] = restoreIdentifier }
    let queue = DispatchQueue(label: "BLESession.Peripheral")
    core = Confined(queue: queue, clock: clock) {
      PeripheralCore(queue: queue, services: services, options: options, clock: clock)
    }
  }

  deinit {
    core.perform { $0.close() }
  }

  /// Publishes the services and starts advertising; returns when both have succeeded.
  ///
  /// Both are repeated automatically after power-off. `AdvertisingPlan.problems` returns in advance what will not fit.
  /// - Throws: `unavailable` if Bluetooth cannot be used, `refused` if a service or the advertising is refused.
  public func start(advertising plan: AdvertisingPlan? = nil) async throws(SessionError) {
    try await core.reply { core, reply in core.start(plan, reply) }
  }

  /// Publishes an L2CAP channel, after `start`, and returns its PSM. The channel is lost when Bluetooth is switched off.
  /// - Parameter opened: called on the session's queue with each channel that a central opens.
  /// - Throws: `unavailable` if Bluetooth cannot be used, `refused`.
  package func publishChannel(
    requiresEncryption: Bool, _ opened: @escaping @Sendable (OpenedChannel) -> Void
  ) async throws(SessionError) -> CBL2CAPPSM {
    try await core.reply { core, reply in
      core.publishChannel(requiresEncryption: requiresEncryption, reply, opened)
    }
  }

  /// Channels that are open stay so.
  package func unpublishChannel(_ psm: CBL2CAPPSM) { core.perform { $0.unpublishChannel(psm) } }

  /// Stops advertising; connections are kept.
  public func stopAdvertising() { core.perform { $0.stopAdvertising() } }

  /// Events from now on. A slow consumer loses the oldest of 1,024.
  public func events() -> AsyncStream<PeripheralEvent> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1_024)) { continuation in
      core.perform { core in
        let number = core.events.add(continuation)
        continuation.onTermination = { [weak self] _ in self?.core.perform { $0.events.remove(number) } }
      }
    }
  }

  /// Calls `tell` synchronously on the session's queue for every event from now on, for consumers that must not lose one. `tell` must
  /// return quickly.
  public func observe(_ tell: @escaping @Sendable (PeripheralEvent) -> Void) {
    core.perform { $0.observers.append(tell) }
  }

  /// Returns the centrals that are subscribed to a characteristic.
  public func subscribers(of path: CharacteristicPath) async -> [Subscriber] {
    await core.value { $0.subscribers(of: path) }
  }

  /// Sends a notification or indication to all subscribers or to some, after earlier ones; returns when the system has accepted it, which
  /// is when there is room. Without subscribers it returns immediately.
  /// - Throws: `notFound`, `invalid` if the value is longer than a subscriber accepts (it would be truncated), `unavailable`, `cancelled`.
  public func push(
    _ value: Data, to path: CharacteristicPath, only centrals: Set<UUID>? = nil
  ) async throws(SessionError) {
    try await core.reply { core, reply in core.push(value, path, centrals, reply) }
  }
}

/// A subscribed central.
public struct Subscriber: Sendable, Hashable, Identifiable {
  /// The identifier that this host assigned to the central.
  public var identifier: UUID
  /// The longest value of one push, in octets.
  public var maximumLength: Int
  public var id: UUID { identifier }
}

/// An event of a peripheral session.
public enum PeripheralEvent: Sendable {
  /// The state of the `CBPeripheralManager` has changed.
  case state(CBManagerState)
  /// Advertising has started.
  case advertising
  /// A central has subscribed.
  case subscribed(Subscriber, CharacteristicPath)
  /// A central has unsubscribed.
  case unsubscribed(UUID, CharacteristicPath)
  /// A central has read a value from its beginning.
  case read(UUID, CharacteristicPath)
  /// A central has written this value, and it was accepted.
  case wrote(UUID, CharacteristicPath, Data)
  /// Publishing or advertising could not be repeated after power-off.
  case failed(SessionError)
}
