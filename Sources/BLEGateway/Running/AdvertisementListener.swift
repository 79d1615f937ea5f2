import BLECore
import BLEReports
import BLESession
import Foundation

/// Decides which advertisements are published.
final class AdvertisementListener: Sendable {
  /// What is known of one device.
  private struct Heard {
    var sighting: Sighting
    var published: Duration?
    var filter = SignalFilter()
    var isChanged = false
  }

  let policy: GatewayConfiguration.Listening
  private let keys: GatewayKeys
  /// By the names of devices in topics: the private addresses of one are one device.
  private let heard = Guarded<(devices: [String: Heard], recent: RecentNames<String>)>(([:], RecentNames()))

  init(_ policy: GatewayConfiguration.Listening, _ keys: GatewayKeys = GatewayKeys()) {
    (self.policy, self.keys) = (policy, keys)
  }

  /// How many devices are followed.
  var count: Int { heard.with { $0.devices.count } }
  /// What it has cost so far to forget devices, in entries that were looked at.
  var steps: Int { heard.with { $0.recent.steps } }

  /// What is to be published of this advertisement: the device's name in topics, itself, and the smoothed strength; `nil` for nothing.
  func take(
    _ discovery: Discovery, address: DeviceAddress?
  ) -> (device: String, sighting: Sighting, smoothed: Double?)? {
    guard isStrongEnough(discovery) else { return nil }
    var sighting = Sighting(discovery, address: address)
    (sighting.opened, sighting.hasKey) = (keys.sensors.open(sighting), keys.sensors.hasKey(of: address))
    if policy.onlySensors, sighting.measurements.isEmpty { return nil }
    let name = name(of: sighting)
    let now = discovery.lastSeen
    return heard.with { heard in
      // A flood of random addresses has a new device in each advertisement: no search for the oldest.
      if let oldest = heard.recent.use(name, most: policy.devices) { heard.devices[oldest] = nil }
      var device = heard.devices[name] ?? Heard(sighting: sighting, isChanged: true)
      if let rssi = discovery.rssi { device.filter.add(rssi) }
      if sighting.differs(from: device.sighting) { device.isChanged = true }
      device.sighting = sighting
      let age = device.published.map { now - $0 }
      let isDue = policy.interval.map { interval in age.map { $0 >= interval } ?? true } ?? false
      let isAllowed = age.map { $0 >= policy.leastInterval } ?? true
      let isPublished = isAllowed && (isDue || (policy.onChange && device.isChanged))
      if isPublished { (device.published, device.isChanged) = (now, false) }
      heard.devices[name] = device
      return isPublished ? (name, sighting, device.filter.smoothed) : nil
    }
  }

  /// Whether this rule announces a sensor that another one has announced. What it measures was seen then.
  func announces(_ device: String, _ origin: HeardSensor.Origin) -> Bool {
    guard policy.isAnnounced else { return false }
    // The strength of one moment takes back nothing that its own rule has announced.
    guard policy == origin.policy || matches(origin.discovery) else { return false }
    let sighting = Sighting(origin.discovery, address: origin.address)
    // One with another key is heard again sooner or later.
    if origin.isSealed, !keys.sensors.hasKey(of: sighting) { return false }
    return name(of: sighting) == device
  }

  private func matches(_ discovery: Discovery) -> Bool {
    policy.rule.matches(discovery) && isStrongEnough(discovery)
  }

  private func isStrongEnough(_ discovery: Discovery) -> Bool {
    policy.weakest.map { weakest in discovery.rssi.map { $0 >= weakest } ?? false } ?? true
  }

  /// The device's name in topics.
  private func name(of sighting: Sighting) -> String {
    let masks = policy.masks
    if policy.topic == .beacon, let beacon = sighting.beacons.lazy.compactMap({ $0.beaconIdentifier(masks) }).first {
      return beacon
    }
    return keys.identities.name(of: sighting.address) ?? sighting.address?.description.filter(\.isHexDigit)
      ?? sighting.identifier.uuidString
  }
}
