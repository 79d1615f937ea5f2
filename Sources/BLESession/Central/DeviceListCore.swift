import CoreBluetooth

/// The state of a `DeviceList`, used on its central's queue only.
final class DeviceListCore {
  private enum Key: Hashable {
    case identifier(UUID)
    case name(String)
    case address(String)
  }

  private struct Entry {
    var device: ListedDevice
    var key: Key
    /// The time of the last change that reported the RSSI.
    var signalReported: Duration
  }

  private let central: CentralCore
  private let rules: DeviceListRules
  private var entries: [Entry] = []
  /// Where the entries are: an air may have thousands of devices, each of which advertises several times a second.
  private var places: [UUID: Int] = [:]
  private var placesByKey: [Key: Int] = [:]
  private var scan: Int?
  private var isOver = false
  private var timer: (any SessionTimer)?
  let changes = Broadcast<DeviceListChange>()

  init(central: CentralCore, rule: MatchRule, rules: DeviceListRules, limit: Duration?) {
    self.central = central
    self.rules = rules
    // With duplicates: a device that repeats its advertisement is still in range.
    scan = central.scanner.add(rule, repeats: true, limit: limit) { [weak self] in
      self?.end()
    } _: { [weak self] in
      self?.discovered($0)
    }
  }

  var devices: [ListedDevice] { entries.map(\.device) }

  func add(_ continuation: AsyncStream<DeviceListChange>.Continuation) -> Int {
    for (place, entry) in entries.enumerated() { continuation.yield(.appeared(entry.device, at: place)) }
    let number = changes.add(continuation)
    if isOver { changes.finish() }
    return number
  }

  func stop() {
    if let scan { central.scanner.remove(scan) }
    end()
  }

  private func end() {
    scan = nil
    isOver = true
    timer?.cancel()
    changes.finish()
  }

  private func discovered(_ discovery: Discovery) {
    let key = key(of: discovery)
    var place = places[discovery.identifier]
    if let same = placesByKey[key], same != place {
      // The discovery belongs to another entry: the device has a new identifier, or advertises its name for the first time.
      if let place { remove(at: place) }
      place = placesByKey[key]
    }
    guard let place else { return append(discovery, key) }
    update(place, discovery, key)
    watch()
  }

  private func append(_ discovery: Discovery, _ key: Key) {
    if entries.count >= rules.capacity,
      let oldest = entries.indices.min(by: {
        entries[$0].device.discovery.lastSeen < entries[$1].device.discovery.lastSeen
      })
    {
      remove(at: oldest)
    }
    let device = ListedDevice(discovery: discovery)
    entries.append(Entry(device: device, key: key, signalReported: discovery.lastSeen))
    note(entries.count - 1)
    changes.send(.appeared(device, at: entries.count - 1))
    watch()
  }

  private func update(_ place: Int, _ discovery: Discovery, _ key: Key) {
    let before = entries[place]
    var after = before
    after.key = key
    after.device = ListedDevice(discovery: discovery)
    after.device.advertisements = before.device.advertisements + 1
    let isSignalDue =
      rules.signalInterval.map { discovery.lastSeen - before.signalReported >= $0 } == true
      && before.device.discovery.rssi != discovery.rssi
    let isNew =
      before.device.id != discovery.identifier || before.device.discovery.name != discovery.name
      || before.device.discovery.advertisement != discovery.advertisement
    if before.device.isStale || isNew || isSignalDue { after.signalReported = discovery.lastSeen }
    entries[place] = after
    if before.key != key || before.device.id != discovery.identifier {
      forget(before)
      note(place)
    }
    if before.device.isStale {
      changes.send(.returned(after.device, at: place))
    } else if isNew || isSignalDue {
      changes.send(.changed(after.device, at: place))
    }
  }

  private func remove(at place: Int) {
    let gone = entries.remove(at: place)
    forget(gone)
    for moved in place..<entries.count { note(moved) }
    changes.send(.removed(gone.device, from: place))
  }

  private func note(_ place: Int) {
    places[entries[place].device.id] = place
    placesByKey[entries[place].key] = place
  }

  private func forget(_ entry: Entry) {
    places[entry.device.id] = nil
    placesByKey[entry.key] = nil
  }

  /// Schedules `age` for the time at which the next device becomes stale.
  private func watch() {
    guard timer == nil, !isOver,
      let next = entries.lazy.filter({ !$0.device.isStale }).map(\.device.discovery.lastSeen).min()
    else { return }
    let delay = next + rules.staleAfter - central.clock.now
    timer = central.clock.call(after: max(delay, .zero), on: central.queue) { [weak self] in self?.age() }
  }

  private func age() {
    timer = nil
    let limit = central.clock.now - rules.staleAfter
    for place in entries.indices
    where !entries[place].device.isStale && entries[place].device.discovery.lastSeen <= limit {
      entries[place].device.isStale = true
      changes.send(.stale(entries[place].device, at: place))
    }
    watch()
  }

  private func key(of discovery: Discovery) -> Key {
    switch rules.identity {
    case .identifier: .identifier(discovery.identifier)
    case .name: discovery.name.map { .name($0) } ?? .identifier(discovery.identifier)
    case .address(let rule):
      rule.address(in: discovery.advertisement).map { .address($0) } ?? .identifier(discovery.identifier)
    }
  }
}
