import CoreBluetooth

/// One scan of the radio for all who listen: the widest of what they want.
package final class ScanCoordinator {
  private struct Listener {
    var rule: MatchRule
    var repeats: Bool
    var tell: (Discovery) -> Void
    /// How long the radio scans for this listener; `nil` for ever.
    var limit: Duration?
    var finish: () -> Void
    var timer: (any SessionTimer)?
    /// What this listener was last told of each device.
    var told: [UUID: Discovery] = [:]
  }

  private struct Known {
    var discovery: Discovery
    var peripheral: CBPeripheral
  }

  /// Devices that are remembered; of more, those that were not heard for longest are forgotten.
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

  /// Keeps a device that is known in another way than by its advertisements. What was heard of it stays.
  @discardableResult
  func keep(_ peripheral: CBPeripheral) -> Discovery {
    let discovery =
      known[peripheral.identifier]?.discovery
      ?? Discovery(identifier: peripheral.identifier, name: peripheral.name, lastSeen: clock.now)
    known[peripheral.identifier] = Known(discovery: discovery, peripheral: peripheral)
    return discovery
  }

  /// - Parameters:
  ///   - limit: for how long, counted from the moment at which the radio scans.
  ///   - finish: called when that time is over, and not if the listener is removed.
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
    // Objects from before a reset cannot be used any more; after a mere power-off they can.
    if manager.state.rawValue < CBManagerState.poweredOff.rawValue {
      known = [:]
      for number in listeners.keys { listeners[number]?.told = [:] }
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
    // 127 says that the strength is not known.
    discovery.rssi = rssi == 127 ? nil : rssi
    discovery.lastSeen = clock.now
    known[identifier] = Known(discovery: discovery, peripheral: peripheral)
    if known.count > Self.limit { forgetOldest() }
    for number in listeners.keys.sorted() { tell(number, discovery) }
  }

  private func tell(_ number: Int, _ discovery: Discovery) {
    guard let listener = listeners[number], listener.rule.matches(discovery) else { return }
    let before = listener.told[discovery.identifier]
    let isNew = before == nil || before?.name != discovery.name || before?.advertisement != discovery.advertisement
    guard isNew || listener.repeats else { return }
    listeners[number]?.told[discovery.identifier] = discovery
    listener.tell(discovery)
  }

  /// Forgets an eighth at once, so that the search for the oldest is rare.
  private func forgetOldest() {
    let oldest = known.values.sorted { $0.discovery.lastSeen < $1.discovery.lastSeen }.prefix(Self.limit / 8)
    for entry in oldest {
      known[entry.discovery.identifier] = nil
      for number in listeners.keys { listeners[number]?.told[entry.discovery.identifier] = nil }
    }
  }
}
