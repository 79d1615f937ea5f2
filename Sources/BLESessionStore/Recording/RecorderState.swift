import BLESession
import CoreBluetooth

/// The observations of a recorder, which last until it ends.
final class Observations: Sendable {
  /// `nil` after `cancel`.
  private let ends = Guarded<[@Sendable () -> Void]?>([])

  func add(_ end: @escaping @Sendable () -> Void) {
    let isLate = ends.with { ends in
      ends?.append(end)
      return ends == nil
    }
    if isLate { end() }
  }

  func cancel() {
    let all = ends.with { ends in
      defer { ends = nil }
      return ends
    }
    for end in all ?? [] { end() }
  }
}

/// The last values received from each characteristic.
final class HeardValues: Sendable {
  private struct Values {
    var count = 0
    var last: [Data] = []
  }

  private static let most = 16
  private let heard = Guarded<[CharacteristicPath: Values]>([:])

  func note(_ value: Data, from path: CharacteristicPath) {
    heard.with { heard in
      heard[path, default: Values()].count += 1
      heard[path, default: Values()].last.append(value)
      if heard[path, default: Values()].last.count > Self.most { heard[path]?.last.removeFirst() }
    }
  }

  func count(of path: CharacteristicPath) -> Int { heard.with { $0[path]?.count ?? 0 } }

  func has(_ value: Data, from path: CharacteristicPath, since before: Int) -> Bool {
    heard.with { $0[path].map { $0.last.suffix($0.count - before).contains(value) } ?? false }
  }
}

/// The current device of a session, or the last one.
final class CurrentDevice: Sendable {
  private let value = Guarded<UUID?>(nil)

  var identifier: UUID? { value.with { $0 } }
  func note(_ identifier: UUID?) { value.with { $0 = identifier ?? $0 } }
}

/// What a scan has already recorded of each device.
///
/// `@unchecked Sendable`: used on the central's queue only.
final class HeardDevices: @unchecked Sendable {
  private struct Sighting: Equatable {
    var name: String?
    var advertisement: Advertisement
  }

  /// The limit of remembered devices: an attacker can advertise any number of them.
  private static let most = 4_096

  private var known: [UUID: Sighting] = [:]

  func isNew(_ discovery: Discovery) -> Bool {
    let sighting = Sighting(name: discovery.name, advertisement: discovery.advertisement)
    if known[discovery.identifier] == sighting { return false }
    if known.count >= Self.most { known = [:] }
    known[discovery.identifier] = sighting
    return true
  }
}
