import BLEAdapter
import BLECore

/// One central's scan: its filter, and the devices that were already reported to it.
final class Scan {
  /// Held weakly by the role itself; a scan never outlives it.
  private(set) weak var events: (any CentralEvents)?
  let parameters: ScanParameters
  /// In the background a scan needs a list of services, and each content is reported once.
  var isInBackground = false
  private let services: [BLEUUID]
  private let solicited: [BLEUUID]
  /// For each slot: the version of the last checked content, and the verdict in the two lowest bits.
  private var verdicts: [UInt64] = []

  private static let matches: UInt64 = 0b01
  private static let reported: UInt64 = 0b10

  init(_ parameters: ScanParameters, events: any CentralEvents) {
    self.parameters = parameters
    self.events = events
    services = parameters.services ?? []
    solicited = parameters.solicitedServices
  }

  /// The services to search for in overflow areas.
  var wantedServices: [BLEUUID] { services }

  /// Whether it can report devices now.
  var isHeard: Bool { !isInBackground || !services.isEmpty }

  /// Returns whether the device is to be reported now, and records that it was.
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
