import BLEAdapter
import BLECore

/// One central's scan: what it looks for, and what it was told already.
final class Scan {
  /// Held weakly by the role itself; a scan never outlives it.
  private(set) weak var events: (any CentralEvents)?
  let parameters: ScanParameters
  /// In the background a scan is for named services only, and told of each content once.
  var isInBackground = false
  private let services: [BLEUUID]
  private let solicited: [BLEUUID]
  /// For each device's slot the version of the content that was judged, and the verdict in its two lowest bits.
  private var verdicts: [UInt64] = []

  private static let matches: UInt64 = 0b01
  private static let reported: UInt64 = 0b10

  init(_ parameters: ScanParameters, events: any CentralEvents) {
    self.parameters = parameters
    self.events = events
    services = parameters.services ?? []
    solicited = parameters.solicitedServices
  }

  /// The services that this scan wants to be looked for in overflow areas.
  var wantedServices: [BLEUUID] { services }

  /// Whether anything can come of it now.
  var isHeard: Bool { !isInBackground || !services.isEmpty }

  /// Whether the device is to be told now; and if so, that it was.
  func take(_ device: ScannedDevice) -> Bool {
    if !isHeard { return false }
    let slot = device.slot
    if slot >= verdicts.count {
      verdicts.append(contentsOf: repeatElement(0, count: slot + 1 - verdicts.count))
    }
    var verdict = verdicts[slot]
    if verdict >> 2 != device.version {
      verdict = device.version << 2 | (isWanted(device.content) ? Self.matches : 0)
    }
    defer { verdicts[slot] = verdict }
    if verdict & Self.matches == 0 { return false }
    if parameters.allowsDuplicates && !isInBackground { return true }
    defer { verdict |= Self.reported }
    return verdict & Self.reported == 0
  }

  private func isWanted(_ content: AdvertisementContent) -> Bool {
    if services.isEmpty && solicited.isEmpty { return true }
    for service in services {
      if content.serviceUUIDs.contains(service) || content.overflowServiceUUIDs.contains(service) { return true }
    }
    for service in solicited where content.solicitedServiceUUIDs.contains(service) { return true }
    return false
  }
}
