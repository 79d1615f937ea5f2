import BLESession
import CoreBluetooth

/// A device that was seen.
public struct StoredDevice: Sendable, Hashable, Identifiable {
  /// What this host calls it.
  public var identifier: UUID
  /// The last name that it told; whatever a device makes up, to be shown with care.
  public var name: String?
  /// Its address, where it is known.
  public var address: String?
  /// The services that it advertised last, as UUIDs.
  public var services: [String]
  /// The manufacturer data that it advertised last.
  public var manufacturerData: Data?
  /// When it was first heard of.
  public var firstSeen: Date
  /// When it was last heard of.
  public var lastSeen: Date

  /// The same as `identifier`.
  public var id: UUID { identifier }
}

/// One run of a recorder.
public struct StoredSession: Sendable, Hashable, Identifiable {
  /// How it came to its end.
  public enum Ending: String, Sendable, Hashable, Codable {
    /// In good order.
    case ended
    /// The process died; the record goes as far as `until`.
    case cutShort
  }

  /// Its number in the record.
  public var id: Int64
  /// What the recorder called it.
  public var title: String
  /// When it began.
  public var began: Date
  /// The moment of the last thing that it recorded.
  public var until: Date
  /// `nil` while it goes on, or where its process died and nobody has recorded since.
  public var ending: Ending?
}

/// One connection to a device.
public struct StoredConnection: Sendable, Hashable, Identifiable {
  /// Why it ended.
  public enum Ending: String, Sendable, Hashable, Codable {
    /// The user asked for it.
    case user
    /// It was lost.
    case lost
    /// The link came up and was never of use: the device did not tell its services, or was not the right one.
    case failed
    /// The recorder ended first: how long the connection went on is not known.
    case unobserved
  }

  /// Its number in the record.
  public var id: Int64
  /// The session that recorded it.
  public var session: Int64
  /// What this host calls the device.
  public var device: UUID
  /// The name that the device told last.
  public var deviceName: String?
  /// How it came about; `nil` where the file says something else.
  public var origin: ConnectionOrigin?
  /// When it began.
  public var began: Date
  /// When the device could be used.
  public var ready: Date?
  /// `nil` while it lasts.
  public var ended: Date?
  /// Why it ended; `nil` while it lasts.
  public var ending: Ending?
  /// What Core Bluetooth said about the end, if it said something.
  public var error: String?
}

/// One value of a characteristic.
public struct StoredValue: Sendable, Hashable, Identifiable {
  /// How it came to be known.
  public enum Source: String, Sendable, Hashable, Codable {
    /// The device told it by itself.
    case notified
    /// It was asked for.
    case read
    /// This side wrote it.
    case written
  }

  /// Its number in the record.
  public var id: Int64
  /// The session that recorded it.
  public var session: Int64
  /// What this host calls the device.
  public var device: UUID
  /// The name that the device told last.
  public var deviceName: String?
  /// When it was seen.
  public var time: Date
  /// The service's UUID, where it is known.
  public var service: String?
  /// The characteristic's UUID.
  public var characteristic: String
  /// Which one, where there are several of the same UUIDs: 0 is the first.
  public var instance: Int
  /// `nil` where the file says something else.
  public var source: Source?
  /// The value as it was.
  public var octets: Data
}

/// Something that happened.
public struct StoredEvent: Sendable, Hashable, Identifiable {
  /// Its number in the record.
  public var id: Int64
  /// The session that recorded it.
  public var session: Int64
  /// `nil` where it concerns no device, or the device was not known yet.
  public var device: UUID?
  /// The name that the device told last.
  public var deviceName: String?
  /// When it was seen.
  public var time: Date
  /// A word: `state`, `attempt`, `attemptFailed`, `hint`, `subscriptionFailed`, `memoryFailed`, `servicesChanged`, `readFailed`,
  /// `gap` (entries that had no room), or a program's own.
  public var kind: String
  /// More of it for people; may hold what a device said.
  public var detail: String?
}

/// One measurement of a device's signal.
public struct StoredSignal: Sendable, Hashable, Identifiable {
  /// Where it was measured.
  public enum Source: String, Sendable, Hashable, Codable {
    /// Asked of the connection.
    case connection
    /// Heard with an advertisement.
    case advertisement
  }

  /// Its number in the record.
  public var id: Int64
  /// The session that recorded it.
  public var session: Int64
  /// What this host calls the device.
  public var device: UUID
  /// The name that the device told last.
  public var deviceName: String?
  /// When it was seen.
  public var time: Date
  /// In dBm.
  public var rssi: Int
  /// In dBm, smoothed, where somebody did.
  public var smoothed: Double?
  /// `nil` where the file says something else.
  public var source: Source?
}
