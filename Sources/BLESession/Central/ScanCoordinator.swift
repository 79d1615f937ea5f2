import CoreBluetooth

/// Shares one scan of the radio between all listeners: its options are the widest that they need.
package final class ScanCoordinator {
  private struct Listener {
    var rule: MatchRule
    var repeats: Bool
    var tell: (Discovery) -> Void
    /// How long the radio scans for this listener; `nil`: no limit.
    var limit: Duration?
    var finish: () -> Void
    var timer: (any SessionTimer)?
    /// What was last delivered to this listener, by device.
    var delivered: [UUID: Discovery] = [:]
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
  private var listeners: [Int: Listener] = [:]
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
    listeners[next] = Listener(rule: rule, repeats: repeats, tell: tell, limit: limit, finish: finish)
    rescan()
    return next
  }

  package func remove(_ number: Int) {
    guard let listener = listeners.removeValue(forKey: number) else { return }
    listener.timer?.cancel()
    rescan()
  }

  func stateChanged() {
    // After a reset the objects are invalid; after power-off they stay valid.
    if manager.state.rawValue < CBManagerState.poweredOff.rawValue {
      known = [:]
      for number in listeners.keys { listeners[number]?.delivered = [:] }
    }
    rescan()
  }

  private func rescan() {
    guard manager.state == .poweredOn else { return }
    guard !listeners.isEmpty else {
      if manager.isScanning { manager.stopScan() }
      return
    }
    for number in listeners.keys { startTimer(of: number) }
    let filter = MatchRule.either(listeners.values.map(\.rule)).scanFilter
    let repeats = listeners.values.contains(where: \.repeats)
    manager.scanForPeripherals(
      withServices: filter.map { Array($0) },
      options: [CBCentralManagerScanOptionAllowDuplicatesKey: NSNumber(value: repeats)])
  }

  private func startTimer(of number: Int) {
    guard let limit = listeners[number]?.limit, listeners[number]?.timer == nil else { return }
    listeners[number]?.timer = clock.call(after: limit, on: queue) { [weak self] in
      guard let self, let listener = listeners[number] else { return }
      remove(number)
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
    for number in listeners.keys.sorted() { deliver(to: number, discovery) }
  }

  private func deliver(to number: Int, _ discovery: Discovery) {
    guard let listener = listeners[number], listener.rule.matches(discovery) else { return }
    let before = listener.delivered[discovery.identifier]
    let isNew = before == nil || before?.name != discovery.name || before?.advertisement != discovery.advertisement
    guard isNew || listener.repeats else { return }
    listeners[number]?.delivered[discovery.identifier] = discovery
    listener.tell(discovery)
  }

  /// Removes an eighth of the devices at a time, so that sorting them by age is rare.
  private func forgetOldest() {
    let oldest = known.values.sorted { $0.discovery.lastSeen < $1.discovery.lastSeen }.prefix(Self.limit / 8)
    for entry in oldest {
      known[entry.discovery.identifier] = nil
      for number in listeners.keys { listeners[number]?.delivered[entry.discovery.identifier] = nil }
    }
  }
}
