import BLESession
import CoreBluetooth

/// A recorded device.
public struct StoredDevice: Sendable, Hashable, Identifiable {
  /// This host's identifier for it.
  public var identifier: UUID
  /// The last reported name. The device chooses it: make it inert before displaying it.
  public var name: String?
  /// Its address, where it is known.
  public var address: String?
  /// The services in its last advertisement, as UUIDs.
  public var services: [String]
  /// The manufacturer data in its last advertisement.
  public var manufacturerData: Data?
  /// When it was first recorded.
  public var firstSeen: Date
  /// When it was last recorded.
  public var lastSeen: Date

  /// The same as `identifier`.
  public var id: UUID { identifier }
}

/// One run of a recorder.
public struct StoredSession: Sendable, Hashable, Identifiable {
  /// How it ended.
  public enum Ending: String, Sendable, Hashable, Codable {
    /// By the recorder's `end`.
    case ended
    /// The process ended without it; the record reaches to `until`.
    case cutShort
  }

  /// Its number in the record.
  public var id: Int64
  /// The recorder's title for it.
  public var title: String
  /// When it began.
  public var began: Date
  /// When the last entry was recorded.
  public var until: Date
  /// `nil` while it continues, or where its process ended early and the file was not opened for writing since.
  public var ending: Ending?
}

/// One connection to a device.
public struct StoredConnection: Sendable, Hashable, Identifiable {
  /// Why it ended.
  public enum Ending: String, Sendable, Hashable, Codable {
    /// The user disconnected.
    case user
    /// The link was lost.
    case lost
    /// The link came up but never became usable: service discovery failed, or it was another device.
    case failed
    /// The recorder ended first: when the connection ended is not known.
    case unobserved
  }

  /// Its number in the record.
  public var id: Int64
  /// The session that recorded it.
  public var session: Int64
  /// This host's identifier for the device.
  public var device: UUID
  /// The device's last reported name.
  public var deviceName: String?
  /// Who requested it; `nil` where the file has an unknown word.
  public var origin: ConnectionOrigin?
  /// When it began.
  public var began: Date
  /// When the device was ready.
  public var ready: Date?
  /// `nil` while it lasts.
  public var ended: Date?
  /// Why it ended; `nil` while it lasts.
  public var ending: Ending?
  /// The description of Core Bluetooth's error, if there was one.
  public var error: String?
}

/// One value of a characteristic.
public struct StoredValue: Sendable, Hashable, Identifiable {
  /// How the value was obtained.
  public enum Source: String, Sendable, Hashable, Codable {
    /// By a notification or indication.
    case notified
    /// By a read.
    case read
    /// By a write of this side.
    case written
  }

  /// Its number in the record.
  public var id: Int64
  /// The session that recorded it.
  public var session: Int64
  /// This host's identifier for the device.
  public var device: UUID
  /// The device's last reported name.
  public var deviceName: String?
  /// When it was received or written.
  public var time: Date
  /// The service's UUID, where it is known.
  public var service: String?
  /// The characteristic's UUID.
  public var characteristic: String
  /// The index among characteristics with the same UUIDs: 0 is the first.
  public var instance: Int
  /// `nil` where the file has an unknown word.
  public var source: Source?
  /// The value.
  public var octets: Data
}

/// One event.
public struct StoredEvent: Sendable, Hashable, Identifiable {
  /// Its number in the record.
  public var id: Int64
  /// The session that recorded it.
  public var session: Int64
  /// `nil` for an event without a device, or before the device was known.
  public var device: UUID?
  /// The device's last reported name.
  public var deviceName: String?
  /// When it happened.
  public var time: Date
  /// A word: `state`, `attempt`, `attemptFailed`, `hint`, `subscriptionFailed`, `memoryFailed`, `servicesChanged`, `readFailed`,
  /// `gap` (entries that were dropped), or a program's own.
  public var kind: String
  /// Details for people; may contain text from a device.
  public var detail: String?
}

/// One measurement of a device's signal strength.
public struct StoredSignal: Sendable, Hashable, Identifiable {
  /// How it was measured.
  public enum Source: String, Sendable, Hashable, Codable {
    /// Read on the connection.
    case connection
    /// Received with an advertisement.
    case advertisement
  }

  /// Its number in the record.
  public var id: Int64
  /// The session that recorded it.
  public var session: Int64
  /// This host's identifier for the device.
  public var device: UUID
  /// The device's last reported name.
  public var deviceName: String?
  /// When it was measured.
  public var time: Date
  /// In dBm.
  public var rssi: Int
  /// In dBm, smoothed; `nil` where it was not.
  public var smoothed: Double?
  /// `nil` where the file has an unknown word.
  public var source: Source?
}
