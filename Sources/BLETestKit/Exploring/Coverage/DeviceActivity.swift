import BLEAdapter
import BLEHost

/// What a device does when an event strikes it; several at a time.
public enum DeviceActivity: String, CaseIterable, Codable, Sendable {
  /// Its adapter is not on: switched off, starting, or without a controller.
  case off
  /// It neither scans, advertises nor has a link, and waits for none.
  case idle
  /// A peripheral manager advertises.
  case advertising
  /// A central manager scans.
  case scanning
  /// A connection is pending.
  case connecting
  /// A link comes up or ends.
  case linkChanging = "link coming up or ending"
  /// A pairing is in progress.
  case pairing
  /// Operations of GATT are under way.
  case exchanging
  /// It has an open link without any of these.
  case openLink = "open link"
  /// It has an encrypted link without any of these.
  case encryptedLink = "encrypted link"

  static func all(of standing: HostStanding) -> [DeviceActivity] {
    guard standing.state == .poweredOn else { return [.off] }
    var found: Set<DeviceActivity> = []
    for central in standing.centrals {
      if central.sought != nil { found.insert(.scanning) }
      if !central.awaited.isEmpty { found.insert(.connecting) }
    }
    if standing.peripherals.contains(where: \.isAdvertising) { found.insert(.advertising) }
    for link in standing.links {
      if !link.isReady {
        found.insert(.linkChanging)
      } else if link.isPairing {
        found.insert(.pairing)
      } else if link.operations > 0 {
        found.insert(.exchanging)
      } else {
        found.insert(link.isEncrypted ? .encryptedLink : .openLink)
      }
    }
    return found.isEmpty ? [.idle] : allCases.filter(found.contains)
  }
}
