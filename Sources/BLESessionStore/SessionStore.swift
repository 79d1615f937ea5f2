import BLESession
import CoreBluetooth

/// Writes observations to an SQLite file: devices, sessions, connections with origin and reason, values, events and signal strengths.
///
/// One store writes to a file at a time, while any number of `StoreReader`s read it. Adding an entry is fast and never waits: entries
/// are written together, in a transaction every 200 ms or every 1,024 entries. Committed entries survive the end of the process at any
/// moment (`StoreConfiguration.durability`).
///
/// ```swift
/// let store = try SessionStore(file: folder.appendingPathComponent("seen.sqlite"))
/// let recorder = try await SessionRecorder.begin(in: store, title: "ride home")
/// await recorder.record(session)
/// ```
///
/// A file of a newer version, of another program, or that is not a database is refused before anything is written.
public final class SessionStore: Sendable {
  /// The file's location.
  public let file: URL
  let writer: StoreWriter

  /// Opens a file, which is created where it does not exist. Blocks the caller while it accesses the disk.
  /// - Throws: `inUse`, `newerVersion`, `notAStore`, `notADatabase`, `readOnly`, `cannotOpen`, `corrupt`, `busy`, `full`.
  public init(file: URL, configuration: StoreConfiguration = StoreConfiguration()) throws(StoreError) {
    self.file = file
    writer = try StoreWriter(file.path, configuration)
  }

  deinit {
    // Writes and closes on its queue, without blocking the caller.
    let writer = writer
    writer.queue.async { _ = writer.close() }
  }

  /// Begins a session, which entries are added to.
  /// - Returns: its number, unique in the file.
  public func beginSession(title: String, at time: Date = Date()) async throws(StoreError) -> StoredSession.ID {
    try await writer.perform { (database) throws(StoreError) in
      try database.run(
        "INSERT INTO session(title, began, until) VALUES(?1, ?2, ?2)", .text(Bounds.text(title)), .time(time))
      return database.lastRow
    }
  }

  /// Ends a session after all previous entries are written. Its open connections end as `unobserved`.
  public func endSession(_ session: StoredSession.ID, at time: Date = Date()) async throws(StoreError) {
    try await writer.perform { [writer] (database) throws(StoreError) in
      try writer.requireWritten()
      try database.transaction { () throws(StoreError) in
        try database.run(
          "UPDATE connection SET ended = max(began, ?1), ending = 'unobserved' WHERE ended IS NULL AND session = ?2",
          .time(time), .integer(session))
        try database.run(
          "UPDATE session SET ending = 'ended', until = max(until, ?1) WHERE id = ?2 AND ending IS NULL", .time(time),
          .integer(session))
      }
      writer.forgetRows()
    }
  }

  /// Adds an entry to the backlog. From any thread; returns immediately. An entry for an unknown session is ignored.
  /// - Returns: whether it was accepted. It is not if the backlog is full (`StoreConfiguration.backlog`), if its value is longer than
  ///   1 MiB, or if the store has ended; then it is counted, and the record gets an event for the gap as soon as possible.
  @discardableResult
  public func add(_ entry: StoreEntry, to session: StoredSession.ID) -> Bool { writer.add(entry, session) }

  /// The counters since the store was opened.
  public var statistics: StoreStatistics { writer.backlog.with { $0.statistics } }

  /// Writes all previous entries, and returns when they are committed.
  /// - Throws: why they could not be written. After a transient error they are kept, and tried again every second.
  public func flush() async throws(StoreError) {
    try await writer.perform { [writer] _ throws(StoreError) in try writer.requireWritten() }
  }

  /// Writes all previous entries and closes the file.
  /// - Throws: why the last entries could not be written. The file is closed in any case; closing again does nothing.
  public func close() async throws(StoreError) {
    let error = await withCheckedContinuation { continuation in
      writer.queue.async { [writer] in continuation.resume(returning: writer.close()) }
    }
    if let error { throw error }
  }
}
