import CoreBluetooth

/// The state of a `DeviceList`, used on its central's queue only.
final class DeviceListCore {
  private enum Key: Hashable {
    case identifier(UUID)
    case name(String)
    case address(String)
  }

  private final class Entry {
    /// Larger than those of all entries before it.
    let number: Int
    var device: ListedDevice
    var key: Key
    /// The time of the last change that reported the RSSI.
    var signalReported: Duration

    init(_ number: Int, _ device: ListedDevice, _ key: Key) {
      (self.number, self.device, self.key) = (number, device, key)
      signalReported = device.discovery.lastSeen
    }
  }

  private let central: CentralCore
  private let rules: DeviceListRules
  // An air may have thousands of devices, each of which advertises several times a second, and a sender that takes another address for each
  // advertisement is a new one each time: no step looks at all entries. To remove one moves the references behind it.
  private var entries: [Entry] = []
  private var nextNumber = 0
  private var entriesByIdentifier: [UUID: Entry] = [:]
  private var entriesByKey: [Key: Entry] = [:]
  /// The numbers of the entries that are not stale, and of those that are, in the order in which they were last heard.
  private var heard = RecentNames<Int>()
  private var stale = RecentNames<Int>()
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
    var entry = entriesByIdentifier[discovery.identifier]
    if let same = entriesByKey[key], same !== entry {
      // The discovery belongs to another entry: the device has a new identifier, or advertises its name for the first time.
      if let entry { remove(at: place(of: entry.number)) }
      entry = same
    }
    if let entry { update(entry, discovery, key) } else { append(discovery, key) }
    watch()
  }

  private func append(_ discovery: Discovery, _ key: Key) {
    if entries.count >= rules.capacity, let oldest = stale.oldest ?? heard.oldest { remove(at: place(of: oldest)) }
    let entry = Entry(nextNumber, ListedDevice(discovery: discovery), key)
    nextNumber += 1
    entries.append(entry)
    note(entry)
    _ = heard.use(entry.number, most: .max)
    changes.send(.appeared(entry.device, at: entries.count - 1))
  }

  private func update(_ entry: Entry, _ discovery: Discovery, _ key: Key) {
    let before = entry.device
    let isSignalDue =
      rules.signalInterval.map { discovery.lastSeen - entry.signalReported >= $0 } == true
      && before.discovery.rssi != discovery.rssi
    let isNew =
      before.id != discovery.identifier || before.discovery.name != discovery.name
      || before.discovery.advertisement != discovery.advertisement
    if before.isStale || isNew || isSignalDue { entry.signalReported = discovery.lastSeen }
    let isElsewhere = entry.key != key || before.id != discovery.identifier
    if isElsewhere { forget(entry) }
    entry.key = key
    entry.device = ListedDevice(discovery: discovery)
    entry.device.advertisements = before.advertisements + 1
    if isElsewhere { note(entry) }
    if before.isStale { stale.remove(entry.number) }
    _ = heard.use(entry.number, most: .max)
    if before.isStale {
      changes.send(.returned(entry.device, at: place(of: entry.number)))
    } else if isNew || isSignalDue {
      changes.send(.changed(entry.device, at: place(of: entry.number)))
    }
  }

  private func remove(at place: Int) {
    let gone = entries.remove(at: place)
    forget(gone)
    heard.remove(gone.number)
    stale.remove(gone.number)
    changes.send(.removed(gone.device, from: place))
  }

  /// The place of the entry with this number, by halving.
  private func place(of number: Int) -> Int {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].number < number { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private func note(_ entry: Entry) {
    entriesByIdentifier[entry.device.id] = entry
    entriesByKey[entry.key] = entry
  }

  private func forget(_ entry: Entry) {
    entriesByIdentifier[entry.device.id] = nil
    entriesByKey[entry.key] = nil
  }

  /// Schedules `age` for the time at which the next device becomes stale.
  private func watch() {
    guard timer == nil, !isOver, let next = heard.oldest else { return }
    let delay = entries[place(of: next)].device.discovery.lastSeen + rules.staleAfter - central.clock.now
    timer = central.clock.call(after: max(delay, .zero), on: central.queue) { [weak self] in self?.age() }
  }

  private func age() {
    timer = nil
    let limit = central.clock.now - rules.staleAfter
    while let number = heard.oldest {
      let place = place(of: number)
      guard entries[place].device.discovery.lastSeen <= limit else { break }
      _ = heard.removeOldest()
      _ = stale.use(number, most: .max)
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
