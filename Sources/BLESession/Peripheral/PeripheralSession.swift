import CoreBluetooth

/// The peripheral role with manners: services as values, handlers for reads and writes, pushes that wait for room.
///
/// ```swift
/// let peripheral = PeripheralSession(services: [ServiceDeclaration(CBUUID(string: "FF11"), [line])])
/// try await peripheral.start(advertising: AdvertisingPlan(localName: "My dear", services: [CBUUID(string: "FF11")]))
/// try await peripheral.push(Data("hello".utf8), to: CharacteristicPath("FF22"))
/// ```
public final class PeripheralSession: Sendable {
  package let core: Confined<PeripheralCore>

  /// - Parameters:
  ///   - services: what is published whenever Bluetooth is on; after a power-off it is published anew.
  ///   - restoreIdentifier: under which the system goes on when the process ends; the next one publishes anew in its place.
  ///   - options: what else `CBPeripheralManager` takes.
  ///   - clock: where the time comes from; tests pass a simulated world's.
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

  /// Publishes the services and advertises; returns when both are under way.
  ///
  /// What was started goes on by itself after Bluetooth was off. `AdvertisingPlan.problems` says beforehand what will not fit.
  /// - Throws: `unavailable` where Bluetooth cannot be used, `refused` where a service or the advertisement is refused.
  public func start(advertising plan: AdvertisingPlan? = nil) async throws(SessionError) {
    try await core.reply { core, reply in core.start(plan, reply) }
  }

  /// Stops advertising; connections stay.
  public func stopAdvertising() { core.perform { $0.stopAdvertising() } }

  /// What happens from now on. Whoever is slow misses the oldest of 1,024 events.
  public func events() -> AsyncStream<PeripheralEvent> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1_024)) { continuation in
      core.perform { core in
        let number = core.events.add(continuation)
        continuation.onTermination = { [weak self] _ in self?.core.perform { $0.events.remove(number) } }
      }
    }
  }

  /// Calls `tell` for everything that happens from now on, on the session's own queue at that very moment: for what must not miss an
  /// event. It has to be quick.
  public func observe(_ tell: @escaping @Sendable (PeripheralEvent) -> Void) {
    core.perform { $0.observers.append(tell) }
  }

  /// Who listens to a characteristic now.
  public func subscribers(of path: CharacteristicPath) async -> [Subscriber] {
    await core.value { $0.subscribers(of: path) }
  }

  /// Pushes a value to all subscribers or to some, behind what was pushed before; returns when it was handed over, which is when
  /// there is room. Without subscribers it returns at once.
  /// - Throws: `notFound`, `invalid` where the value is longer than a subscriber takes (it would arrive cut), `unavailable`, `cancelled`.
  public func push(
    _ value: Data, to path: CharacteristicPath, only centrals: Set<UUID>? = nil
  ) async throws(SessionError) {
    try await core.reply { core, reply in core.push(value, path, centrals, reply) }
  }
}

/// A central that listens.
public struct Subscriber: Sendable, Hashable, Identifiable {
  /// What this host calls it.
  public var identifier: UUID
  /// How many octets one push may have.
  public var maximumLength: Int
  public var id: UUID { identifier }
}

/// What happens to a peripheral.
public enum PeripheralEvent: Sendable {
  /// Bluetooth is different now.
  case state(CBManagerState)
  /// Advertising has begun.
  case advertising
  /// A central listens from now on.
  case subscribed(Subscriber, CharacteristicPath)
  /// A central does not listen any more.
  case unsubscribed(UUID, CharacteristicPath)
  /// A central has read.
  case read(UUID, CharacteristicPath)
  /// A central has written this, and it was accepted.
  case wrote(UUID, CharacteristicPath, Data)
  /// Something that goes on by itself after a power-off could not be done.
  case failed(SessionError)
}
