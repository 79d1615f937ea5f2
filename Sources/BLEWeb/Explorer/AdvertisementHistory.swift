import BLEReports
import Foundation

/// The last advertisements of each device: an entry for each change, not for each packet.
struct AdvertisementHistory: Sendable {
  struct Limits: Sendable {
    /// Entries of one device.
    var entries = 100
    /// Octets of the entries of all devices. Beyond that a device that changes keeps only the entry of the moment, whose contents the table of
    /// devices has as well.
    var size = 16 << 20
  }

  private struct Own: Sendable {
    var earlier = Queue<AdvertisedPeriod>()
    var current: AdvertisedPeriod
    /// The advertisements so far, as the list of devices counts them.
    var counted: Int
  }

  private let limits: Limits
  private var devices: [UUID: Own] = [:]
  /// Octets of all entries.
  private(set) var size = 0

  init(_ limits: Limits = Limits()) { self.limits = limits }

  /// - Parameter count: the number of the device's advertisements so far; a scan that begins counts from 1.
  mutating func record(_ sighting: Sighting, at time: Duration, count: Int) {
    // Taken out, so that it is changed in its place.
    guard var own = devices.removeValue(forKey: sighting.identifier) else {
      let first = AdvertisedPeriod(1, sighting, at: time, count: max(1, count))
      devices[sighting.identifier] = Own(current: first, counted: count)
      size += first.size
      return
    }
    let heard = count >= own.counted ? count - own.counted : count
    own.counted = count
    if sighting.differs(from: own.current.sighting) {
      // All but the last of those that were heard since were like the one before.
      own.current.count += max(0, heard - 1)
      own.earlier.append(own.current)
      own.current = AdvertisedPeriod(own.current.number + 1, sighting, at: time, count: 1)
      size += own.current.size
    } else {
      own.current.hear(sighting.rssi, at: time, count: heard)
    }
    while let oldest = own.earlier.first, own.earlier.count >= limits.entries || size > limits.size {
      own.earlier.removeFirst()
      size -= oldest.size
    }
    devices[sighting.identifier] = own
  }

  mutating func forget(_ identifier: UUID) {
    guard let own = devices.removeValue(forKey: identifier) else { return }
    size -= own.earlier.dropFirst(0).reduce(own.current.size) { $0 + $1.size }
  }

  /// Oldest first; `nil` for a device that was not heard.
  func json(of identifier: UUID) -> JSONValue? {
    guard let own = devices[identifier] else { return nil }
    var (found, before): ([JSONValue], AdvertisedPeriod?) = ([], nil)
    for entry in own.earlier.dropFirst(0) + [own.current] {
      found.append(entry.json(after: before))
      before = entry
    }
    return ["identifier": .string(identifier.uuidString), "advertisements": .array(found)]
  }
}
