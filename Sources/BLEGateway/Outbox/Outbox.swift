import BLESession
import BLESessionStore
import Foundation

/// Messages on their way to the broker, in a file: one is accepted when it is committed, and deleted when the broker has acknowledged it.
///
/// `add` never waits. What was added is committed in batches, with the deletions.
///
/// `@unchecked Sendable`: the file is used on `queue` only, all other state is behind its lock.
package final class Outbox: @unchecked Sendable {
  package enum Report: Sendable {
    /// New messages are there to be sent.
    case accepted
    /// Messages had to be dropped, as there is no room for them.
    case dropped(OutboxLosses)
    /// The file cannot be written, for the first time since it could. What was added is kept in memory, and tried again.
    case failed(StoreError)
    /// It can be written again.
    case recovered
  }

  package let gateway: String
  private let limits: OutboxLimits
  private let queue = DispatchQueue(label: "BLEGateway.outbox", qos: .utility)
  private let backlog = Guarded(OutboxBacklog())
  private let report: @Sendable (Report) -> Void
  private var file: OutboxFile?
  private var isFailing = false
  /// Who waits until no value is left on topics that begin with these words.
  private var waiting: [String: Waiting] = [:]
  private static let interval = DispatchTimeInterval.milliseconds(20)
  private static let pause = DispatchTimeInterval.seconds(1)

  /// - Parameters:
  ///   - gateway: the name in front of each key.
  ///   - lossDraft: the message that tells what was dropped, of the counts since the outbox was made.
  ///   - report: called on the outbox's queue.
  package init(
    _ path: String, gateway: String, limits: OutboxLimits = OutboxLimits(),
    lossDraft: @escaping @Sendable (OutboxLosses) -> OutboxDraft,
    report: @escaping @Sendable (Report) -> Void = { _ in }
  ) throws(StoreError) {
    self.gateway = gateway
    self.limits = limits
    self.report = report
    let file = try OutboxFile(path, gateway: gateway, limits)
    file.lossDraft = lossDraft
    self.file = file
  }

  /// Adds a message. From any thread.
  package func add(_ draft: OutboxDraft) {
    let isFirst = backlog.with { backlog -> Bool in
      if backlog.isClosed { return false }
      if backlog.drafts.count >= limits.backlog { backlog.makeRoom(for: draft) } else { backlog.drafts.append(draft) }
      return backlog.schedule()
    }
    if isFirst { queue.asyncAfter(deadline: .now() + Self.interval) { self.writeAll() } }
  }

  /// The broker has acknowledged these. From any thread.
  package func deliver(_ sequences: [Int64]) {
    let isFirst = backlog.with { backlog -> Bool in
      if backlog.isClosed { return false }
      backlog.delivered += sequences
      return backlog.schedule()
    }
    if isFirst { queue.asyncAfter(deadline: .now() + Self.interval) { self.writeAll() } }
  }

  /// Gives the messages behind `sequence`, the oldest first, on the outbox's queue.
  package func messages(after sequence: Int64, limit: Int, _ give: @escaping @Sendable ([OutboxMessage]) -> Void) {
    queue.async { give((try? self.file?.messages(after: sequence, limit: limit)) ?? []) }
  }

  /// Calls `done`, on the outbox's queue, when none of the values that were added so far is left on topics that begin with `topics`. A later
  /// call for the same topics takes the place of an earlier one, which is not answered any more.
  package func whenSent(valuesOn topics: String, _ done: @escaping @Sendable () -> Void) {
    queue.async {
      self.waiting[topics] = Waiting(last: nil, done: done)
      self.writeAll()
      self.answerWaiting()
    }
  }

  private struct Waiting {
    /// A message that is known to be in the file.
    var last: Int64?
    let done: @Sendable () -> Void
  }

  /// What cannot be written, or read, is not sent either.
  private func answerWaiting() {
    guard !waiting.isEmpty, !isFailing, let file else { return }
    for (topics, entry) in waiting {
      if let last = entry.last, (try? file.contains(last)) ?? true { continue }
      do throws(StoreError) {
        let newest = try file.newestValue(on: topics)
        waiting[topics]?.last = newest
        if newest == nil { waiting.removeValue(forKey: topics)?.done() }
      } catch {
        continue
      }
    }
  }

  /// How many messages are in the file, their octets, and what was dropped.
  package var contents: (rows: Int64, octets: Int64, losses: OutboxLosses) {
    queue.sync { (file?.rows ?? 0, file?.octets ?? 0, file?.losses ?? OutboxLosses()) }
  }

  /// Writes what was added so far, without waiting for more.
  package func write() async {
    await withCheckedContinuation { continuation in
      queue.async {
        self.writeAll()
        continuation.resume()
      }
    }
  }

  /// Runs one transaction: adds messages, and whatever `more` does. Waits for the disk.
  package func commit(
    _ drafts: [OutboxDraft], _ more: @Sendable (Database) throws(StoreError) -> Void = { _ in }
  ) throws(StoreError) {
    let result = queue.sync { () -> Result<OutboxLosses, StoreError> in
      do throws(StoreError) {
        guard let file else { throw StoreError.closed }
        return .success(try file.exchange(accept: drafts, deliver: [], more))
      } catch {
        return .failure(error)
      }
    }
    let losses = try result.get()
    if losses.total > 0 { report(.dropped(losses)) }
    if !drafts.isEmpty { report(.accepted) }
  }

  /// Reads from the file, or writes what belongs to no message.
  package func read<Value>(_ body: (Database) throws(StoreError) -> Value) throws(StoreError) -> Value {
    let result = queue.sync { () -> Result<Value, StoreError> in
      do throws(StoreError) {
        guard let file else { throw StoreError.closed }
        return .success(try body(file.database))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Writes what waits, and closes the file.
  package func close() async {
    backlog.with { $0.isClosed = true }
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      queue.async {
        self.writeAll()
        self.file = nil
        continuation.resume()
      }
    }
  }

  private func writeAll() {
    guard let file else { return }
    let batch = backlog.with { backlog -> OutboxBacklog in
      defer { backlog = OutboxBacklog(isClosed: backlog.isClosed) }
      return backlog
    }
    guard !batch.drafts.isEmpty || !batch.delivered.isEmpty || batch.refused.total > 0 else { return }
    do throws(StoreError) {
      let losses = try file.exchange(accept: batch.drafts, deliver: batch.delivered, refused: batch.refused)
      if isFailing { report(.recovered) }
      isFailing = false
      if losses.total > 0 { report(.dropped(losses)) }
      if !batch.drafts.isEmpty || losses.total > 0 { report(.accepted) }
      answerWaiting()
    } catch {
      backlog.with { $0.putBack(batch, limits.backlog) }
      if !isFailing { report(.failed(error)) }
      isFailing = true
      queue.asyncAfter(deadline: .now() + Self.pause) { self.writeAll() }
    }
  }
}
