import Foundation

/// How a store writes.
public struct StoreConfiguration: Sendable {
  /// What a committed row survives.
  public enum Durability: String, Sendable, Hashable {
    /// The loss of power: each transaction waits for the disk.
    case powerLoss
    /// The death of the process at any moment. Transactions do not wait for the disk; with the power the last ones may go, but the
    /// file stays whole.
    case processDeath
  }

  /// What a committed row survives.
  public var durability: Durability
  /// How long an entry waits at most before it is written together with others.
  public var interval: Duration
  /// So many entries are written at once, without waiting longer.
  public var batch: Int
  /// How many entries may wait. What comes when as many wait is refused and counted, and the record tells of the gap: whoever adds
  /// entries is never held up.
  public var backlog: Int
  /// How long another program's lock is waited for before it counts as an error. Only the store's own queue waits.
  public var patience: Duration
  /// What is thrown away in time.
  public var retention: Retention
  /// Told on the store's own queue what became of what was added. Has to be quick.
  public var report: (@Sendable (StoreReport) -> Void)?

  /// The values that suit most records.
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

/// What a store keeps. What is older or more is thrown away while it writes, the oldest first.
public struct Retention: Sendable, Hashable {
  /// How old values, events, signal strengths and connections become.
  public var age: Duration?
  /// How many values, how many events, how many signal strengths, how many connections and how many devices there are at most.
  public var rows: Int?
  /// How many octets the database has at most, at least 1 MiB. Its log beside it has up to 4 MiB more.
  public var size: Int?

  /// Without arguments: everything is kept. Limits of which `nil` is said do not hold.
  public init(age: Duration? = nil, rows: Int? = nil, size: Int? = nil) {
    self.age = age
    self.rows = rows.map { max(1, $0) }
    self.size = size.map { max(1 << 20, $0) }
  }

  var isUnlimited: Bool { age == nil && rows == nil && size == nil }
}

/// What became of entries.
public enum StoreReport: Sendable {
  /// They are in the file for good.
  case committed(StoreStatistics)
  /// They could not be written. Where the error is transient they are kept and tried again, else the store is at its end.
  case failed(StoreError)
}

/// What a store has done since it was opened.
public struct StoreStatistics: Sendable, Hashable {
  /// Entries that were taken.
  public var accepted = 0
  /// Entries that are in the file for good.
  public var committed = 0
  /// Values among these.
  public var committedValues = 0
  /// Entries that were refused because too many waited, or the store was at its end.
  public var dropped = 0
  /// Transactions.
  public var transactions = 0
  /// Rows that the retention limits have thrown away.
  public var expired = 0

  /// Nothing was done yet.
  public init() {}

  /// Entries that wait to be written.
  public var waiting: Int { accepted - committed }
}
