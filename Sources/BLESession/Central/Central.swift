import CoreBluetooth

/// The central role with what applications usually add to `CBCentralManager`: a state that can be awaited, scans that merge
/// advertising data, and sessions that keep a device connected.
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
/// All work is done on a private serial queue; the methods may be called from any thread.
public final class Central: Sendable {
  package let core: Confined<CentralCore>
  /// The clock for timeouts and time stamps.
  public let clock: any SessionClock

  /// - Parameters:
  ///   - showsPowerAlert: whether the system asks the user to switch Bluetooth on if it is off now. No other call of this type does.
  ///   - restoreIdentifier: the identifier under which the system preserves this central's state when the process ends: see
  ///     `restoredDevices`.
  ///   - options: further options of `CBCentralManager`.
  ///   - clock: the clock for timeouts and time stamps; tests pass a simulated world's.
  ///   - memory: where devices are remembered across restarts; `nil` for no memory.
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

  /// The current state of the `CBCentralManager`.
  public var state: CBManagerState {
    get async { await core.value { $0.manager.state } }
  }

  /// The current state, then every change.
  public func states() -> AsyncStream<CBManagerState> {
    AsyncStream { continuation in
      core.perform { core in
        continuation.yield(core.manager.state)
        let number = core.states.add(continuation)
        continuation.onTermination = { [weak self] _ in self?.core.perform { $0.states.remove(number) } }
      }
    }
  }

  /// Waits until Bluetooth is powered on.
  /// - Parameter waitsForPower: whether to keep waiting while Bluetooth is switched off. If not, that is an error.
  /// - Throws: `unavailable`, with what is missing and how to get it; `cancelled`.
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

  /// Scans until the sequence is cancelled, and yields a device that matches whenever its name or advertising data changes.
  ///
  /// The data of a device is merged: a name from one packet and services from another are in one discovery. A slow consumer loses the
  /// oldest of 1,024 discoveries. Concurrent scans share the radio.
  /// - Parameters:
  ///   - rule: which devices are yielded.
  ///   - repeats: whether every packet is yielded, for example to follow the RSSI.
  ///   - limit: the duration of the scan, from the moment at which the radio scans; then the sequence ends. `nil`: no limit.
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

  /// Whether the central is scanning.
  public var isScanning: Bool {
    get async { await core.value { $0.manager.isScanning } }
  }

  /// Returns a session with one device. It does nothing until `connect()` or `keepConnected()` is called.
  public func session(with target: DeviceTarget, configuration: SessionConfiguration = SessionConfiguration())
    -> DeviceSession
  {
    DeviceSession(central: self, target: target, configuration: configuration)
  }
}
