import Foundation

/// The configuration of a store.
public struct StoreConfiguration: Sendable {
  /// What committed rows survive.
  public enum Durability: String, Sendable, Hashable {
    /// A power failure: each transaction waits for the disk.
    case powerLoss
    /// The end of the process at any moment. Transactions do not wait for the disk; a power failure may lose the last ones, but does not
    /// damage the file.
    case processDeath
  }

  /// What committed rows survive.
  public var durability: Durability
  /// How long an entry waits at most to be written together with others.
  public var interval: Duration
  /// The number of waiting entries that are written without waiting longer.
  public var batch: Int
  /// How many entries may wait to be written. Further ones are refused and counted, and the record gets an event for the gap: adding an
  /// entry never blocks.
  public var backlog: Int
  /// How long to wait for another program's lock before it counts as an error. Only the store's own queue waits.
  public var patience: Duration
  /// Which rows are deleted.
  public var retention: Retention
  /// Called on the store's own queue with the result of each write. Has to return quickly.
  public var report: (@Sendable (StoreReport) -> Void)?

  /// Defaults that suit most records.
  public init(
    durability: Durability = .powerLoss, interval: Duration = .milliseconds(200), batch: Int = 1_024,
    backlog: Int = 65_536, patience: Duration = .seconds(5), retention: Retention = Retention(),
    report: (@Sendable (StoreReport) -> Void)? = nil
  ) {
    self.durability = durability
    self.interval = interval
    self.batch = max(1, batch)
    self.backlog = max(1, backlog)
    self.patience = patience
    self.retention = retention
    self.report = report
  }
}

/// What a store keeps. Beyond these limits it deletes the oldest rows while it writes.
public struct Retention: Sendable, Hashable {
  /// The maximum age of values, events, signal strengths and connections.
  public var age: Duration?
  /// The maximum number each of values, events, signal strengths, connections and devices.
  public var rows: Int?
  /// The maximum size of the database in octets, at least 1 MiB. The log beside it has up to 4 MiB more.
  public var size: Int?

  /// Without arguments: everything is kept. `nil` means no limit.
  public init(age: Duration? = nil, rows: Int? = nil, size: Int? = nil) {
    self.age = age
    self.rows = rows.map { max(1, $0) }
    self.size = size.map { max(1 << 20, $0) }
  }

  var isUnlimited: Bool { age == nil && rows == nil && size == nil }
}

/// The result of a write.
public enum StoreReport: Sendable {
  /// The entries are committed.
  case committed(StoreStatistics)
  /// The entries could not be written. After a transient error they are kept and tried again, otherwise the store has ended.
  case failed(StoreError)
}

/// The counters of a store since it was opened.
public struct StoreStatistics: Sendable, Hashable {
  /// Entries accepted.
  public var accepted = 0
  /// Entries committed.
  public var committed = 0
  /// Values among the committed entries.
  public var committedValues = 0
  /// Entries refused because the backlog was full, or the store had ended.
  public var dropped = 0
  /// Transactions.
  public var transactions = 0
  /// Rows deleted because of the retention limits.
  public var expired = 0

  /// All zero.
  public init() {}

  /// Entries that wait to be written.
  public var waiting: Int { accepted - committed }
}
