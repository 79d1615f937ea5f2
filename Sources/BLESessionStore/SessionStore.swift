import BLESession
import CoreBluetooth

/// What was seen, in an SQLite file: devices, sessions, connections with origin and reason, values, events and signal strengths.
///
/// One store writes to a file at a time, any number of `StoreReader`s read it meanwhile. Adding an entry takes no time worth
/// mentioning and never waits: entries are written together, in a transaction every 200 ms or every 1,024 entries. What was committed
/// is there whatever happens to the process, at any moment (`StoreConfiguration.durability`).
///
/// ```swift
/// let store = try SessionStore(file: folder.appendingPathComponent("seen.sqlite"))
/// let recorder = try await SessionRecorder.begin(in: store, title: "ride home")
/// await recorder.record(session)
/// ```
///
/// A file of a newer version, of another program, or that is no database is refused before anything is written.
public final class SessionStore: Sendable {
  /// Where it is.
  public let file: URL
  let writer: StoreWriter

  /// Opens a file, which is made where it is not there. Holds the caller up for as long as the disk takes.
  /// - Throws: `inUse`, `newerVersion`, `notAStore`, `notADatabase`, `readOnly`, `cannotOpen`, `corrupt`, `busy`, `full`.
  public init(file: URL, configuration: StoreConfiguration = StoreConfiguration()) throws(StoreError) {
    self.file = file
    writer = try StoreWriter(file.path, configuration)
  }

  deinit {
    // Written and closed on its queue, without anybody waiting.
    let writer = writer
    writer.queue.async { _ = writer.close() }
  }

  /// Begins a session: what is added belongs to one.
  /// - Returns: its number, which no other session of the file has or will have.
  public func beginSession(title: String, at time: Date = Date()) async throws(StoreError) -> StoredSession.ID {
    try await writer.perform { (database) throws(StoreError) in
      try database.run(
        "INSERT INTO session(title, began, until) VALUES(?1, ?2, ?2)", .text(Bounds.text(title)), .time(time))
      return database.lastRow
    }
  }

  /// Ends a session, once everything is written that was added before. Connections that last are not observed any longer.
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

  /// Takes an entry. From any thread; returns at once. What is added to a session that the record does not have is passed over.
  /// - Returns: whether it was taken. It is not where too many wait (`StoreConfiguration.backlog`), where its value has more than 1 MiB,
  ///   and where the store is at its end; it is counted then, and the record tells of the gap as soon as it can.
  @discardableResult
  public func add(_ entry: StoreEntry, to session: StoredSession.ID) -> Bool { writer.add(entry, session) }

  /// What was done so far.
  public var statistics: StoreStatistics { writer.backlog.with { $0.statistics } }

  /// Writes everything that was added before, and returns when it is committed.
  /// - Throws: why it could not be written. Where that is transient it is kept, and tried again every second.
  public func flush() async throws(StoreError) {
    try await writer.perform { [writer] _ throws(StoreError) in try writer.requireWritten() }
  }

  /// Writes everything that was added before and closes the file.
  /// - Throws: why the last entries could not be written. The file is closed all the same; closing again does nothing.
  public func close() async throws(StoreError) {
    let error = await withCheckedContinuation { continuation in
      writer.queue.async { [writer] in continuation.resume(returning: writer.close()) }
    }
    if let error { throw error }
  }
}
