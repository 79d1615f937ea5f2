import CoreBluetooth

/// The central role with what applications write around it: a state that can be waited for, scans that merge what they hear, and
/// sessions that keep a device.
///
/// ```swift
/// let central = Central()
/// try await central.ready()
/// for await discovery in central.discoveries(matching: .namePrefix("SMART_")) {
///   let session = central.session(with: .device(discovery.identifier))
///   try await session.connect()
///   break
/// }
/// ```
///
/// Everything happens on one serial queue of its own; the methods may be called from anywhere.
public final class Central: Sendable {
  package let core: Confined<CentralCore>
  /// Where the time comes from.
  public let clock: any SessionClock

  /// - Parameters:
  ///   - showsPowerAlert: whether the system asks the user to switch Bluetooth on where it is off now. Nothing else that a central
  ///     does makes it ask.
  ///   - restoreIdentifier: under which the system keeps what this central was doing when the process ends: see `restoredDevices`.
  ///   - options: what else `CBCentralManager` takes.
  ///   - clock: where the time comes from; tests pass a simulated world's.
  ///   - memory: what remembers devices across restarts.
  public init(
    showsPowerAlert: Bool = false, restoreIdentifier: String? = nil, options: [String: Any]? = nil,
    clock: any SessionClock = SystemSessionClock(), memory: (any PeripheralMemory)? = nil
  ) {
    self.clock = clock
    var options = options ?? [:]
    if showsPowerAlert { options[CBCentralManagerOptionShowPowerAlertKey] = NSNumber(value: true) }
    if let restoreIdentifier { options[CBCentralManagerOptionRestoreIdentifierKey] = restoreIdentifier }
    let queue = DispatchQueue(label: "BLESession.Central")
    core = Confined(queue: queue, clock: clock) {
      CentralCore(queue: queue, options: options, clock: clock, memory: memory)
    }
  }

  /// What Bluetooth is like now.
  public var state: CBManagerState {
    get async { await core.value { $0.manager.state } }
  }

  /// The state now and each one that follows.
  public func states() -> AsyncStream<CBManagerState> {
    AsyncStream { continuation in
      core.perform { core in
        continuation.yield(core.manager.state)
        let number = core.states.add(continuation)
        continuation.onTermination = { [weak self] _ in self?.core.perform { $0.states.remove(number) } }
      }
    }
  }

  /// Waits until Bluetooth can be used.
  /// - Parameter waitsForPower: whether a Bluetooth that is switched off is waited for, too. If not, that is an error.
  /// - Throws: `unavailable`, with what is missing and how to get it.
  public func ready(waitsForPower: Bool = false) async throws(SessionError) {
    for await state in states() {
      switch state {
      case .poweredOn: return
      case .unknown, .resetting: continue
      case .poweredOff where waitsForPower: continue
      default: throw .unavailable(state)
      }
    }
    throw SessionError(.cancelled, "cancelled by the caller")
  }

  /// Scans for as long as somebody listens, and tells of each device that matches whenever something new is heard of it.
  ///
  /// What was heard of a device is merged: a name from one packet and services from another are in one discovery. Who is slow misses
  /// the older ones. Several scans at once share the radio.
  /// - Parameters:
  ///   - rule: which devices are told of.
  ///   - repeats: every packet counts as new, for following signal strengths.
  ///   - limit: for how long, counted from the moment at which the radio scans; then the sequence ends. `nil`: until nobody listens.
  public func discoveries(
    matching rule: MatchRule = .any, repeats: Bool = false, for limit: Duration? = nil
  ) -> AsyncStream<Discovery> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1_024)) { continuation in
      core.perform { core in
        let number = core.scanner.add(rule, repeats: repeats, limit: limit) {
          continuation.finish()
        } _: {
          continuation.yield($0)
        }
        continuation.onTermination = { [weak self] _ in self?.core.perform { $0.scanner.remove(number) } }
      }
    }
  }

  /// Whether a scan is going on.
  public var isScanning: Bool {
    get async { await core.value { $0.manager.isScanning } }
  }

  /// A session that keeps one device. Nothing happens before its `connect()`.
  public func session(with target: DeviceTarget, configuration: SessionConfiguration = SessionConfiguration())
    -> DeviceSession
  {
    DeviceSession(central: self, target: target, configuration: configuration)
  }
}
