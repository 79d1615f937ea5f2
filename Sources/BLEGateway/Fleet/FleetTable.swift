import BLEReports
import BLESession

/// What messages of gateways say of a fleet. Bounded: of more gateways and devices than it has room for, those are forgotten of which nothing
/// was heard for the longest time.
struct FleetTable {
  struct Limits: Sendable {
    var gateways = 1_000
    var devices = 5_000
    /// Of a device.
    var values = 12
    var gatewaysOfDevice = 16
    /// The most gateways, and the most devices, that one call of `changes(at:)` tells.
    var changes = 200
  }

  /// A device, with what its gateways have said.
  struct Device {
    var name: String?
    var address: String?
    var lease: Lease?
    /// Whether gateways are connected to it.
    var reports: [(gateway: String, isOnline: Bool)] = []
    var values: [FleetValue] = []
    var heard: Int?
  }

  let limits: Limits
  var gateways: [String: FleetGateway] = [:]
  var devices: [String: Device] = [:]
  var ignored = 0
  var presence: PresenceBoard
  private var recentGateways = RecentNames<String>()
  private var recentDevices = RecentNames<String>()
  /// What has changed since `changes(at:)` was called.
  private var changedGateways: Set<String> = []
  private var changedDevices: Set<String> = []
  private var goneGateways: Set<String> = []
  private var goneDevices: Set<String> = []

  init(_ limits: Limits = Limits(), rooms: [String: String] = [:]) {
    self.limits = limits
    var rules = PresenceRules()
    (rules.mostDevices, rules.mostGateways) = (limits.devices, limits.gatewaysOfDevice)
    presence = PresenceBoard(rules: rules, rooms: rooms)
  }

  /// Changes a gateway, which is known from now on.
  mutating func changeGateway(_ name: String, _ change: (inout FleetGateway) -> Void) {
    if let oldest = recentGateways.use(name, most: limits.gateways) {
      gateways[oldest] = nil
      changedGateways.remove(oldest)
      goneGateways.insert(oldest)
    }
    let wasOnline = gateways[name]?.isOnline
    change(&gateways[name, default: FleetGateway(name: name)])
    changedGateways.insert(name)
    goneGateways.remove(name)
    guard gateways[name]?.isOnline != wasOnline else { return }
    // Whether its devices are connected depends on it.
    for (device, entry) in devices where entry.reports.contains(where: { $0.gateway == name }) {
      changedDevices.insert(device)
    }
  }

  /// Changes a device, which is known from now on.
  mutating func changeDevice(_ name: String, _ change: (inout Device) -> Void) {
    if let oldest = recentDevices.use(name, most: limits.devices) {
      devices[oldest] = nil
      changedDevices.remove(oldest)
      goneDevices.insert(oldest)
    }
    change(&devices[name, default: Device()])
    changedDevices.insert(name)
    goneDevices.remove(name)
  }

  /// Everything that is known.
  mutating func scene(at now: Duration) -> FleetScene {
    note(presence.advance(to: now))
    return FleetScene(
      gateways: gateways.keys.sorted().compactMap { gateways[$0] },
      devices: devices.keys.sorted().compactMap { shown($0, at: now) })
  }

  /// What has changed since the last call; `nil`: nothing.
  mutating func changes(at now: Duration) -> FleetScene? {
    note(presence.advance(to: now))
    if changedGateways.isEmpty, changedDevices.isEmpty, goneGateways.isEmpty, goneDevices.isEmpty { return nil }
    // The rest comes with the next call: one answer with thousands would be too long for who waits for it.
    let (some, others) = (changedGateways.prefix(limits.changes), changedDevices.prefix(limits.changes))
    defer { (goneGateways, goneDevices) = ([], []) }
    let scene = FleetScene(
      gateways: some.sorted().compactMap { gateways[$0] }, devices: others.sorted().compactMap { shown($0, at: now) },
      goneGateways: goneGateways.sorted(), goneDevices: goneDevices.sorted())
    changedGateways.subtract(some)
    changedDevices.subtract(others)
    return scene
  }

  /// A device has gone to another room.
  mutating func note(_ changes: [PresenceChange]) {
    for change in changes where devices[change.device] != nil { changedDevices.insert(change.device) }
  }

  private func shown(_ name: String, at now: Duration) -> FleetDevice? {
    guard let device = devices[name] else { return nil }
    let present = device.reports.filter { gateways[$0.gateway]?.isOnline != false }
    let lease = device.lease.flatMap { $0.phase == .released ? nil : $0 }
    let strengths = presence.strengths(of: name, at: now).map {
      FleetStrength(gateway: $0.key, rssi: $0.value.tenths)
    }
    return FleetDevice(
      device: name, name: device.name, address: device.address,
      holder: lease?.holder.gateway ?? present.first(where: \.isOnline)?.gateway,
      phase: device.lease?.phase.rawValue, epoch: device.lease?.epoch,
      isOnline: device.reports.isEmpty ? nil : present.contains(where: \.isOnline), room: presence.room(of: name),
      values: device.values.sorted { $0.name < $1.name },
      strengths: strengths.sorted { ($1.rssi, $0.gateway) < ($0.rssi, $1.gateway) }, heard: device.heard)
  }
}
