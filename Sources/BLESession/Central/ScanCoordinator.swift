import CoreBluetooth

/// Shares one scan of the radio between all listeners: its options are the widest that they need.
package final class ScanCoordinator {
  /// An object: a copy of a structure would share what was delivered, and with each report all of that would be copied.
  private final class Listener {
    let number: Int
    let rule: MatchRule
    let repeats: Bool
    let tell: (Discovery) -> Void
    /// How long the radio scans for this listener; `nil`: no limit.
    let limit: Duration?
    let finish: () -> Void
    var timer: (any SessionTimer)?
    var isRemoved = false
    /// What was last delivered to a listener that wants no repetitions, by device.
    var delivered: [UUID: Discovery] = [:]

    init(
      _ number: Int, _ rule: MatchRule, repeats: Bool, limit: Duration?, finish: @escaping () -> Void,
      _ tell: @escaping (Discovery) -> Void
    ) {
      (self.number, self.rule, self.repeats, self.limit) = (number, rule, repeats, limit)
      (self.finish, self.tell) = (finish, tell)
    }
  }

  private struct Known {
    var discovery: Discovery
    var peripheral: CBPeripheral
  }

  /// The most devices that are stored; beyond that those with the oldest advertisement are removed.
  private static let limit = 4_096

  private let manager: CBCentralManager
  private let queue: DispatchQueue
  private let clock: any SessionClock
  /// In the order in which they came.
  private var listeners: [Listener] = []
  private var next = 0
  private var known: [UUID: Known] = [:]

  init(manager: CBCentralManager, queue: DispatchQueue, clock: any SessionClock) {
    self.manager = manager
    self.queue = queue
    self.clock = clock
  }

  func peripheral(_ identifier: UUID) -> CBPeripheral? { known[identifier]?.peripheral }

  package func discovery(_ identifier: UUID) -> Discovery? { known[identifier]?.discovery }

  /// Stores a peripheral that was not discovered by a scan. Its advertising data, if there is any, is kept.
  @discardableResult
  func keep(_ peripheral: CBPeripheral) -> Discovery {
    let discovery =
      known[peripheral.identifier]?.discovery
      ?? Discovery(identifier: peripheral.identifier, name: peripheral.name, lastSeen: clock.now)
    known[peripheral.identifier] = Known(discovery: discovery, peripheral: peripheral)
    return discovery
  }

  /// - Parameters:
  ///   - limit: the duration, from the moment at which the radio scans.
  ///   - finish: called when the duration has elapsed; not called if the listener is removed.
  package func add(
    _ rule: MatchRule, repeats: Bool, limit: Duration? = nil, finish: @escaping () -> Void = {},
    _ tell: @escaping (Discovery) -> Void
  ) -> Int {
    defer { next += 1 }
    listeners.append(Listener(next, rule, repeats: repeats, limit: limit, finish: finish, tell))
    rescan()
    return next
  }

  package func remove(_ number: Int) {
    guard let place = listeners.firstIndex(where: { $0.number == number }) else { return }
    let listener = listeners.remove(at: place)
    listener.isRemoved = true
    listener.timer?.cancel()
    rescan()
  }

  func stateChanged() {
    // After a reset the objects are invalid; after power-off they stay valid.
    if manager.state.rawValue < CBManagerState.poweredOff.rawValue {
      known = [:]
      for listener in listeners { listener.delivered = [:] }
    }
    rescan()
  }

  private func rescan() {
    guard manager.state == .poweredOn else { return }
    guard !listeners.isEmpty else {
      if manager.isScanning { manager.stopScan() }
      return
    }
    for listener in listeners { startTimer(of: listener) }
    let filter = MatchRule.either(listeners.map(\.rule)).scanFilter
    let repeats = listeners.contains(where: \.repeats)
    manager.scanForPeripherals(
      withServices: filter.map { Array($0) },
      options: [CBCentralManagerScanOptionAllowDuplicatesKey: NSNumber(value: repeats)])
  }

  private func startTimer(of listener: Listener) {
    guard let limit = listener.limit, listener.timer == nil else { return }
    listener.timer = clock.call(after: limit, on: queue) { [weak self, weak listener] in
      guard let self, let listener, !listener.isRemoved else { return }
      remove(listener.number)
      listener.finish()
    }
  }

  func discovered(_ peripheral: CBPeripheral, _ advertisementData: [String: Any], rssi: Int) {
    let identifier = peripheral.identifier
    var discovery = known[identifier]?.discovery ?? Discovery(identifier: identifier, name: nil)
    discovery.advertisement.merge(advertisementData)
    discovery.name = discovery.advertisement.localName ?? peripheral.name
    // Core Bluetooth reports 127 for an unknown RSSI.
    discovery.rssi = rssi == 127 ? nil : rssi
    discovery.lastSeen = clock.now
    known[identifier] = Known(discovery: discovery, peripheral: peripheral)
    if known.count > Self.limit { forgetOldest() }
    for listener in listeners { deliver(to: listener, discovery) }
  }

  private func deliver(to listener: Listener, _ discovery: Discovery) {
    // One before it may have removed it.
    guard !listener.isRemoved, listener.rule.matches(discovery) else { return }
    if !listener.repeats {
      if let before = listener.delivered[discovery.identifier], before.name == discovery.name,
        before.advertisement == discovery.advertisement
      {
        return
      }
      listener.delivered[discovery.identifier] = discovery
    }
    listener.tell(discovery)
  }

  /// Removes an eighth of the devices at a time, so that sorting them by age is rare.
  private func forgetOldest() {
    let oldest = known.values.sorted { $0.discovery.lastSeen < $1.discovery.lastSeen }.prefix(Self.limit / 8)
    for entry in oldest {
      known[entry.discovery.identifier] = nil
      for listener in listeners { listener.delivered[entry.discovery.identifier] = nil }
    }
  }
}
