import BLECore
import BLEWire

/// The timing of the events of a connection (Core, Vol 6 Part B 4.5.1).
struct ConnectionTiming: Hashable, Sendable {
  /// In units of 1.25 ms.
  var interval: UInt16
  /// The number of events that the peripheral may skip.
  var latency: UInt16
  /// In units of 10 ms.
  var timeout: UInt16

  var intervalDuration: StackDuration { .microseconds(Int64(interval) * 1_250) }
  var timeoutDuration: StackDuration { .milliseconds(Int64(timeout) * 10) }

  /// Whether a controller accepts these values from a host or a peer (Core, Vol 4 Part E 7.8.12, 7.8.18).
  var isValid: Bool {
    guard (6...3_200).contains(interval), latency <= 499, (10...3_200).contains(timeout) else { return false }
    // The time-out must be longer than two effective intervals.
    return Int(timeout) * 4 > (Int(latency) + 1) * Int(interval)
  }
}

/// The maximum packet length of one direction (Core, Vol 6 Part B 4.5.10).
struct DataLengthLimit: Hashable, Sendable {
  var octets: UInt16
  /// In microseconds.
  var time: UInt16

  /// The minimum that every link layer supports.
  static let smallest = DataLengthLimit(octets: 27, time: 328)
  /// The maximum of version 4.2 and later on LE 1M.
  static let largest = DataLengthLimit(octets: 251, time: 2_120)

  func limited(by other: DataLengthLimit) -> DataLengthLimit {
    DataLengthLimit(octets: min(octets, other.octets), time: min(time, other.time))
  }

  /// The longest payload on a PHY, with the time of a message integrity check; never below 27 octets.
  func payload(on phy: LEPHY) -> Int {
    let fits: Int =
      switch phy {
      case .le2M: (Int(time) / 4) - 15
      case .leCoded: (Int(time) - 400) / 64 - 9
      default: (Int(time) / 8) - 14
      }
    return max(27, min(Int(octets), fits, 251))
  }
}
