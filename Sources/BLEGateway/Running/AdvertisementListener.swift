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
    var last: Duration
    var isChanged = false
  }

  private let policy: GatewayConfiguration.Listening
  private let heard = Guarded<[UUID: Heard]>([:])

  init(_ policy: GatewayConfiguration.Listening) { self.policy = policy }

  /// How many devices are followed.
  var count: Int { heard.with { $0.count } }

  /// What is to be published of this advertisement: itself, and the smoothed strength; `nil` for nothing.
  func take(_ discovery: Discovery, address: DeviceAddress?) -> (sighting: Sighting, smoothed: Double?)? {
    if let weakest = policy.weakest, discovery.rssi.map({ $0 < weakest }) ?? true { return nil }
    let sighting = Sighting(discovery, address: address)
    let now = discovery.lastSeen
    return heard.with { heard in
      if heard[discovery.identifier] == nil, heard.count >= policy.devices {
        let oldest = heard.min { $0.value.last < $1.value.last }
        if let oldest { heard[oldest.key] = nil }
      }
      var device = heard[discovery.identifier] ?? Heard(sighting: sighting, last: now, isChanged: true)
      if let rssi = discovery.rssi { device.filter.add(rssi) }
      if sighting.differs(from: device.sighting) { device.isChanged = true }
      (device.sighting, device.last) = (sighting, now)
      let age = device.published.map { now - $0 }
      let isDue = policy.interval.map { interval in age.map { $0 >= interval } ?? true } ?? false
      let isAllowed = age.map { $0 >= policy.leastInterval } ?? true
      let isPublished = isAllowed && (isDue || (policy.onChange && device.isChanged))
      if isPublished { (device.published, device.isChanged) = (now, false) }
      heard[discovery.identifier] = device
      return isPublished ? (sighting, device.filter.smoothed) : nil
    }
  }
}
