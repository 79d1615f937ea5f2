import BLESession

/// In which room each device is, by the smoothed strength at the gateways that hear it.
///
/// A room is a gateway, or several that have been given the name of one room: then the strongest of them counts. A device changes its room
/// when another room has been stronger by the hysteresis for a while, or when its room does not hear it any more; so somebody who stands in a
/// door does not change rooms all the time.
///
/// Times are those at which measurements arrive here, by one clock: the clocks of gateways may be wrong.
public struct PresenceBoard: Sendable {
  /// What one gateway hears of a device.
  struct Report: Sendable {
    let gateway: String
    var filter: SignalFilter
    var heardAt: Duration
  }

  struct Device: Sendable {
    var reports: [Report] = []
    var room: String?
    var heardAt = Duration.zero
    /// Another room that is stronger by the hysteresis, and since when.
    var rival: (room: String, since: Duration)?
    /// The gateway that has connected to it: it need not be heard then.
    var keeper: String?
    /// Until then the room counts although none of its gateways has heard it.
    var remembered: Duration?
    /// Whether it is said that it is nowhere although it was never found.
    var isExpected = false
  }

  /// Devices in the order in which they were heard: those that are forgotten when there are too many, and those that last.
  struct Recent: Sendable {
    var others = RecentNames<String>()
    var lasting = RecentNames<String>()
  }

  let rules: PresenceRules
  private let rooms: [String: String]
  var devices: [String: Device] = [:]
  let lasting: Set<String>
  var recent = Recent()

  /// - Parameters:
  ///   - rooms: the rooms of gateways, by their names. A gateway that is not among them is a room of its own name.
  ///   - lasting: devices that are not forgotten for others, however many of these there are.
  public init(rules: PresenceRules = PresenceRules(), rooms: [String: String] = [:], lasting: Set<String> = []) {
    self.rules = rules
    self.rooms = rooms
    self.lasting = lasting
  }

  /// How many devices are remembered.
  public var count: Int { devices.count }

  /// The room of a device; `nil`: nowhere, or not known.
  public func room(of device: String) -> String? { devices[device]?.room }

  /// The smoothed strengths in dBm of a device at the gateways that hear it.
  public func strengths(of device: String, at now: Duration) -> [String: Double] {
    var strengths: [String: Double] = [:]
    for report in devices[device]?.reports ?? [] where now - report.heardAt <= rules.silence {
      strengths[report.gateway] = report.filter.smoothed
    }
    return strengths
  }

  /// A gateway has heard a device. Names that are not valid as of `GatewayInstance.isName(_:)`, and impossible strengths, are ignored.
  public mutating func heard(_ device: String, by gateway: String, rssi: Int, at now: Duration) -> [PresenceChange] {
    guard (-127...20).contains(rssi), GatewayInstance.isName(device), GatewayInstance.isName(gateway) else { return [] }
    var changes = advance(to: now)
    changes += use(device)
    var entry = devices.removeValue(forKey: device) ?? Device()
    entry.heardAt = now
    note(rssi, of: gateway, in: &entry, now)
    if let change = decide(device, &entry, now) { changes.append(change) }
    devices[device] = entry
    return changes
  }

  private func note(_ rssi: Int, of gateway: String, in entry: inout Device, _ now: Duration) {
    entry.reports.removeAll { now - $0.heardAt > rules.silence }
    if let index = entry.reports.firstIndex(where: { $0.gateway == gateway }) {
      entry.reports[index].filter.add(rssi)
      entry.reports[index].heardAt = now
      return
    }
    var report = Report(gateway: gateway, filter: SignalFilter(weight: rules.smoothing), heardAt: now)
    report.filter.add(rssi)
    entry.reports.append(report)
    guard entry.reports.count > max(1, rules.mostGateways) else { return }
    let weakest = entry.reports.indices.min { strength(entry.reports[$0]) < strength(entry.reports[$1]) }
    if let weakest { entry.reports.remove(at: weakest) }
  }

  private func strength(_ report: Report) -> Double { report.filter.smoothed ?? -127 }
  func room(_ report: Report) -> String { room(ofGateway: report.gateway) }
  func room(ofGateway gateway: String) -> String { rooms[gateway] ?? gateway }

  private func decide(_ device: String, _ entry: inout Device, _ now: Duration) -> PresenceChange? {
    guard let best = entry.reports.max(by: { strength($0) < strength($1) }) else { return nil }
    let strongest = room(best)
    guard strongest != entry.room else {
      entry.rival = nil
      return nil
    }
    let present = entry.reports.filter { room($0) == entry.room }.map(strength).max()
    if present == nil, let remembered = entry.remembered, now < remembered { return nil }
    if let present {
      guard strength(best) >= present + rules.hysteresis else {
        entry.rival = nil
        return nil
      }
      guard let rival = entry.rival, rival.room == strongest else {
        entry.rival = (strongest, now)
        return nil
      }
      guard now - rival.since >= rules.dwell else { return nil }
    }
    defer { (entry.room, entry.rival) = (strongest, nil) }
    return PresenceChange(
      device: device, room: strongest, before: entry.room, gateway: best.gateway, strength: strength(best))
  }
}
