import BLEReports
import BLESession
import CoreBluetooth

/// A value and what it came by.
struct HistoricValue: Sendable {
  enum Way: String, Sendable { case read, written, notified }

  let time: Duration
  let way: Way
  let octets: [UInt8]
  /// Of the subscription so far; `nil` for what was read and written.
  var counts: SubscriptionCounts?
}

/// The last values of each characteristic of a device.
struct ValueHistory: Sendable {
  /// The most values of one characteristic.
  private static let mostValues = 256
  /// The most octets of one characteristic, and of all. Where there are more of all, each has the last value only.
  private static let mostOctets = 64 << 10
  private static let mostOctetsOfAll = 8 << 20

  private var values: [CharacteristicPath: (queue: Queue<HistoricValue>, octets: Int)] = [:]
  private(set) var octets = 0

  mutating func record(_ value: HistoricValue, of path: CharacteristicPath) {
    // Taken out, so that it is changed in its place.
    var own = values.removeValue(forKey: path) ?? (Queue(), 0)
    own.queue.append(value)
    own.octets += value.octets.count
    octets += value.octets.count
    while own.queue.count > 1, let oldest = own.queue.first,
      own.queue.count > Self.mostValues || own.octets > Self.mostOctets || octets > Self.mostOctetsOfAll
    {
      own.queue.removeFirst()
      own.octets -= oldest.octets.count
      octets -= oldest.octets.count
    }
    values[path] = own
  }

  /// The last value of a characteristic; `nil` where none is known.
  func last(of path: CharacteristicPath) -> [UInt8]? { values[path]?.queue.dropFirst(0).last?.octets }

  /// Oldest first.
  var json: JSONValue {
    let all = values.flatMap { path, own in own.queue.dropFirst(0).map { (path, $0) } }
    return ["values": .array(all.sorted { $0.1.time < $1.1.time }.map { $0.1.json(of: $0.0) })]
  }
}

extension HistoricValue {
  func json(of path: CharacteristicPath) -> JSONValue {
    .combined(
      path.json,
      [
        "time_ms": .integer(time.milliseconds), "way": .string(way.rawValue), "value": ValueText(octets).json,
        "meaning": .string(
          orNull: AssignedValues.meaning(of: octets, in: path.characteristic.uuidString)),
        "number": counts.map { .integer($0.values) } ?? .null,
        "octets_so_far": counts.map { .integer($0.octets) } ?? .null,
      ])
  }
}

extension CharacteristicPath {
  var json: JSONValue {
    [
      "service": .string(orNull: service?.uuidString), "characteristic": .string(characteristic.uuidString),
      "instance": .integer(instance),
    ]
  }
}
