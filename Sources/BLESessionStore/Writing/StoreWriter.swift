import BLESession
import Foundation

/// Writes to the file, on its own queue.
///
/// `@unchecked Sendable`: mutable state is used on `queue` only.
final class StoreWriter: @unchecked Sendable {
  let queue = DispatchQueue(label: "BLESessionStore.writer", qos: .utility)
  let backlog: Guarded<Backlog>
  private let path: String
  private let configuration: StoreConfiguration
  private var lock: WriterLock?
  private var database: Database?
  private var ledger: Ledger?
  private var housekeeper: Housekeeper?
  /// Why nothing can be written any more.
  private var end: StoreError?
  /// The error of the last attempt, while it is tried again.
  private var transientError: StoreError?
  private var isRetrying = false

  /// Seconds between attempts.
  private static let pause = 1.0

  init(_ path: String, _ configuration: StoreConfiguration) throws(StoreError) {
    self.path = path
    self.configuration = configuration
    backlog = Guarded(Backlog(limit: configuration.backlog, batch: configuration.batch))
    // A file that is not a record is refused before a lock file is created beside it.
    let lock = try Self.lock(path, configuration)
    let database = try Database.openForWriting(path, configuration)
    ledger = Ledger(database)
    housekeeper = Housekeeper(database, configuration.retention)
    try Self.closeAbandoned(database)
    self.database = database
    self.lock = lock
  }

  private static func lock(_ path: String, _ configuration: StoreConfiguration) throws(StoreError) -> WriterLock {
    try Database.refuseForeign(path, .current, patience: configuration.patience)
    return try WriterLock(for: path)
  }

  /// There is no other writer: sessions and connections without an end belong to a process that ended early.
  private static func closeAbandoned(_ database: Database) throws(StoreError) {
    try database.transaction { () throws(StoreError) in
      try database.run(
        """
        UPDATE connection SET ending = 'unobserved',
          ended = max(began, (SELECT until FROM session WHERE session.id = connection.session)) WHERE ended IS NULL
        """)
      try database.run("UPDATE session SET ending = 'cutShort' WHERE ending IS NULL")
    }
  }

  // MARK: From any thread

  func add(_ entry: StoreEntry, _ session: Int64) -> Bool {
    switch backlog.with({ $0.add(entry, session) }) {
    case .refused: return false
    case .taken: return true
    case .first:
      queue.asyncAfter(deadline: .now() + .milliseconds(Int(configuration.interval.milliseconds))) { self.writeAll() }
    case .batchFull: queue.async { self.writeAll() }
    }
    return true
  }

  /// Runs `body` on the queue, after all previous entries are written.
  func perform<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws(StoreError) -> Value
  ) async throws(StoreError) -> Value {
    let result = await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<Value, StoreError>, Never>) in
      queue.async {
        self.writeAll()
        continuation.resume(returning: self.result(body))
      }
    }
    return try result.get()
  }

  /// The same without writing previous entries first. Blocks the caller until it is done.
  func performNow<Value>(_ body: (Database) throws(StoreError) -> Value) throws(StoreError) -> Value {
    try queue.sync { result(body) }.get()
  }

  // MARK: On the queue

  private func result<Value>(_ body: (Database) throws(StoreError) -> Value) -> Result<Value, StoreError> {
    guard let database else { return .failure(end ?? Self.closed(path)) }
    do throws(StoreError) {
      return .success(try body(database))
    } catch {
      return .failure(error)
    }
  }

  /// Throws the error that keeps entries from being written.
  func requireWritten() throws(StoreError) {
    if let error = end ?? transientError { throw error }
  }

  /// Called when rows were changed without the ledger.
  func forgetRows() { ledger?.forget() }

  /// Writes waiting entries, one transaction after the other, until there are none or one fails.
  func writeAll() {
    guard database != nil else { return }
    repeat {
      if !writeBatch() { return }
    } while !backlog.with({ $0.finishBatch() })
    expire()
  }

  /// Returns whether it was written.
  private func writeBatch() -> Bool {
    guard let database, let ledger else { return false }
    let (items, gaps) = backlog.with { $0.next() }
    if items.isEmpty, gaps.isEmpty { return true }
    do throws(StoreError) {
      try database.transaction { () throws(StoreError) in try ledger.write(items, gaps: gaps, at: Date()) }
    } catch {
      ledger.forget()
      failed(error)
      return false
    }
    transientError = nil
    let statistics = backlog.with { $0.written(items.count, values: ledger.values, gaps: gaps) }
    housekeeper?.noteWritten(items.count)
    configuration.report?(.committed(statistics))
    return true
  }

  private func failed(_ error: StoreError) {
    let isNew = transientError?.code != error.code
    if error.isTransient {
      transientError = error
      if !isRetrying {
        isRetrying = true
        queue.asyncAfter(deadline: .now() + Self.pause) {
          self.isRetrying = false
          self.writeAll()
        }
      }
    } else {
      backlog.with { $0.discard() }
      finish(with: error)
    }
    if isNew { configuration.report?(.failed(error)) }
  }

  private func expire(isLast: Bool = false) {
    do throws(StoreError) {
      let count = try housekeeper?.expire(at: Date(), isLast: isLast) ?? 0
      if count > 0 {
        ledger?.forget()
        backlog.with { $0.expired(count) }
      }
    } catch {
      // Expired rows stay expired and are deleted later. A permanent error also fails the next transaction.
      if !error.isTransient { failed(error) }
    }
  }

  /// Writes and closes; discards what could not be written.
  func close() -> StoreError? {
    if database == nil { return end?.code == .closed ? nil : end }
    backlog.with { $0.close() }
    writeAll()
    expire(isLast: true)
    let error = end ?? transientError
    if end == nil {
      if error != nil { backlog.with { $0.discard() } }
      finish(with: Self.closed(path))
    }
    return error
  }

  private func finish(with error: StoreError) {
    end = error
    ledger = nil
    housekeeper = nil
    database = nil
    lock = nil
  }

  private static func closed(_ path: String) -> StoreError {
    StoreError(.closed, "it was closed by this program already", file: path)
  }
}
