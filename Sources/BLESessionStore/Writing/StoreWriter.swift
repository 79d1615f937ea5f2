import BLESession
import Foundation

/// The one that writes, on a queue of its own.
///
/// `@unchecked Sendable`: what is not immutable is touched on `queue` only.
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
  /// What the last attempt failed with, while what waits is tried again.
  private var obstacle: StoreError?
  private var isRetrying = false

  /// Between attempts to write what could not be written.
  private static let pause = 1.0

  init(_ path: String, _ configuration: StoreConfiguration) throws(StoreError) {
    self.path = path
    self.configuration = configuration
    backlog = Guarded(Backlog(limit: configuration.backlog, batch: configuration.batch))
    // What is not ours is refused before there is even a lock beside it.
    let lock = try Self.lock(path, configuration)
    let database = try Database.openForWriting(path, configuration)
    ledger = Ledger(database)
    housekeeper = Housekeeper(database, configuration.retention)
    try Self.tidyUp(database)
    self.database = database
    self.lock = lock
  }

  private static func lock(_ path: String, _ configuration: StoreConfiguration) throws(StoreError) -> WriterLock {
    try Database.refuseForeign(path, .current, patience: configuration.patience)
    return try WriterLock(for: path)
  }

  /// There is no other writer: what looks as if it went on belongs to one that died.
  private static func tidyUp(_ database: Database) throws(StoreError) {
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
    case .enough: queue.async { self.writeAll() }
    }
    return true
  }

  /// Runs `body` on the queue, with everything written that was added before.
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

  /// The same without waiting for what was added before. Holds the caller up for as long as it takes.
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

  /// Throws what keeps entries from being written.
  func requireWritten() throws(StoreError) {
    if let error = end ?? obstacle { throw error }
  }

  /// Rows were changed past the ledger.
  func forgetRows() { ledger?.forget() }

  /// Writes what waits, a transaction after the other, until nothing does or one fails.
  func writeAll() {
    guard database != nil else { return }
    repeat {
      if !writeBatch() { return }
    } while !backlog.with({ $0.rest() })
    expire()
  }

  /// Answers whether it was written.
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
    obstacle = nil
    let statistics = backlog.with { $0.written(items.count, values: ledger.values, gaps: gaps) }
    housekeeper?.noteWritten(items.count)
    configuration.report?(.committed(statistics))
    return true
  }

  private func failed(_ error: StoreError) {
    let isNews = obstacle?.code != error.code
    if error.isTransient {
      obstacle = error
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
    if isNews { configuration.report?(.failed(error)) }
  }

  private func expire(isLast: Bool = false) {
    do throws(StoreError) {
      let count = try housekeeper?.expire(at: Date(), isLast: isLast) ?? 0
      if count > 0 {
        ledger?.forget()
        backlog.with { $0.expired(count) }
      }
    } catch {
      // What is too old today is too old tomorrow. What stops a store for good stops its next transaction as well.
      if !error.isTransient { failed(error) }
    }
  }

  /// Ends in good order; what could not be written is given up.
  func close() -> StoreError? {
    if database == nil { return end?.code == .closed ? nil : end }
    backlog.with { $0.close() }
    writeAll()
    expire(isLast: true)
    let error = end ?? obstacle
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
