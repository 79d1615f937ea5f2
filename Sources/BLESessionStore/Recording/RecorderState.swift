import BLESession
import CoreBluetooth

/// What goes on until a recorder ends.
///
/// `@unchecked Sendable`: touched under the lock only.
final class Watches: @unchecked Sendable {
  private let lock = NSLock()
  private var ends: [@Sendable () -> Void] = []
  private var isOver = false

  func add(_ end: @escaping @Sendable () -> Void) {
    let isLate = lock.withLock {
      if !isOver { ends.append(end) }
      return isOver
    }
    if isLate { end() }
  }

  func cancel() {
    let all = lock.withLock {
      defer { ends = [] }
      isOver = true
      return ends
    }
    for end in all { end() }
  }
}

/// The values that came last of each characteristic.
///
/// `@unchecked Sendable`: touched under the lock only.
final class HeardValues: @unchecked Sendable {
  private static let most = 16

  private let lock = NSLock()
  private var counts: [CharacteristicPath: Int] = [:]
  private var values: [CharacteristicPath: [Data]] = [:]

  func note(_ value: Data, from path: CharacteristicPath) {
    lock.withLock {
      counts[path, default: 0] += 1
      values[path, default: []].append(value)
      if values[path, default: []].count > Self.most { values[path]?.removeFirst() }
    }
  }

  func count(of path: CharacteristicPath) -> Int { lock.withLock { counts[path] ?? 0 } }

  func has(_ value: Data, from path: CharacteristicPath, since before: Int) -> Bool {
    lock.withLock { (values[path] ?? []).suffix((counts[path] ?? 0) - before).contains(value) }
  }
}

/// Which device a session has at the moment, or had last.
///
/// `@unchecked Sendable`: touched under the lock only.
final class CurrentDevice: @unchecked Sendable {
  private let lock = NSLock()
  private var value: UUID?

  var identifier: UUID? { lock.withLock { value } }
  func note(_ identifier: UUID?) { lock.withLock { value = identifier ?? value } }
}

/// What a scan has told of each device already.
///
/// `@unchecked Sendable`: used on the central's queue only.
final class HeardDevices: @unchecked Sendable {
  private struct Told: Equatable {
    var name: String?
    var advertisement: Advertisement
  }

  /// Somebody may make up devices without end.
  private static let most = 4_096

  private var known: [UUID: Told] = [:]

  func isNews(_ discovery: Discovery) -> Bool {
    let told = Told(name: discovery.name, advertisement: discovery.advertisement)
    if known[discovery.identifier] == told { return false }
    if known.count >= Self.most { known = [:] }
    known[discovery.identifier] = told
    return true
  }
}
