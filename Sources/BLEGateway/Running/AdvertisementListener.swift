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

  private let policy: GatewayConfiguration.Listening
  private let heard = Guarded<(devices: [UUID: Heard], recent: RecentNames<UUID>)>(([:], RecentNames()))

  init(_ policy: GatewayConfiguration.Listening) { self.policy = policy }

  /// How many devices are followed.
  var count: Int { heard.with { $0.devices.count } }
  /// What it has cost so far to forget devices, in entries that were looked at.
  var steps: Int { heard.with { $0.recent.steps } }

  /// What is to be published of this advertisement: itself, and the smoothed strength; `nil` for nothing.
  func take(_ discovery: Discovery, address: DeviceAddress?) -> (sighting: Sighting, smoothed: Double?)? {
    if let weakest = policy.weakest, discovery.rssi.map({ $0 < weakest }) ?? true { return nil }
    let sighting = Sighting(discovery, address: address)
    let now = discovery.lastSeen
    return heard.with { heard in
      // A flood of random addresses has a new device in each advertisement: no search for the oldest.
      if let oldest = heard.recent.use(discovery.identifier, most: policy.devices) { heard.devices[oldest] = nil }
      var device = heard.devices[discovery.identifier] ?? Heard(sighting: sighting, isChanged: true)
      if let rssi = discovery.rssi { device.filter.add(rssi) }
      if sighting.differs(from: device.sighting) { device.isChanged = true }
      device.sighting = sighting
      let age = device.published.map { now - $0 }
      let isDue = policy.interval.map { interval in age.map { $0 >= interval } ?? true } ?? false
      let isAllowed = age.map { $0 >= policy.leastInterval } ?? true
      let isPublished = isAllowed && (isDue || (policy.onChange && device.isChanged))
      if isPublished { (device.published, device.isChanged) = (now, false) }
      heard.devices[discovery.identifier] = device
      return isPublished ? (sighting, device.filter.smoothed) : nil
    }
  }
}
