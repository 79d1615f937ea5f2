import BLESession
import CoreBluetooth

/// What the explorer counts of its sessions. The rest of `/metrics` is read when it is asked for.
final class Metrics: Sendable {
  enum Operation: String, CaseIterable, Sendable {
    case read, write, subscribe, descriptors, channel, signal
  }

  struct Operations: Hashable {
    let operation: Operation
    /// `ok`, or the kind of the error as in `ble --json`.
    let result: String
  }

  struct Counts {
    var operations: [Operations: Int] = [:]
    /// Commands of device files, by outcome: those of `operations`, and what a request got wrong before.
    var commands: [String: Int] = [:]
    /// Errors of the Attribute Protocol (Core, Vol 3 Part F 3.4.1.1), by code.
    var attributeErrors: [Int: Int] = [:]
    /// Of operations that succeeded.
    var latencies: [Operation: Histogram] = [:]
    var notifications = 0
    var connections = 0
    var losses = 0
    var failedAttempts = 0
  }

  private let state = Guarded(Counts())

  var counts: Counts { state.with { $0 } }

  /// Counts an operation and the time that it has taken by `clock`.
  func measure<Value: Sendable>(
    _ operation: Operation, by clock: any SessionClock, _ work: @Sendable () async throws(SessionError) -> Value
  ) async throws(SessionError) -> Value {
    let start = clock.now
    do throws(SessionError) {
      let value = try await work()
      let time = clock.now - start
      state.with { counts in
        counts.operations[Operations(operation: operation, result: "ok"), default: 0] += 1
        counts.latencies[operation, default: Histogram()].add(time)
      }
      return value
    } catch {
      let problem = APIError(error)
      state.with { counts in
        counts.operations[Operations(operation: operation, result: problem.kind.rawValue), default: 0] += 1
        if let code = problem.attributeError { counts.attributeErrors[code, default: 0] += 1 }
      }
      throw error
    }
  }

  /// A command of a device file has ended.
  /// - Parameter problem: why it was not carried out; `nil` for one that was.
  func performed(_ problem: APIError.Kind?, attributeError: Int? = nil) {
    state.with { counts in
      counts.commands[problem?.rawValue ?? "ok", default: 0] += 1
      if let code = attributeError { counts.attributeErrors[code, default: 0] += 1 }
    }
  }

  func notified() { state.with { $0.notifications += 1 } }

  func happened(_ event: SessionEvent) {
    state.with { counts in
      switch event {
      case .ready: counts.connections += 1
      case .disconnected(.lost): counts.losses += 1
      case .attemptFailed: counts.failedAttempts += 1
      default: break
      }
    }
  }
}

/// Counts of durations by upper limits.
struct Histogram {
  /// In seconds.
  static let limits = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

  /// The number of durations up to each limit, and of all.
  private(set) var buckets = [Int](repeating: 0, count: limits.count)
  private(set) var count = 0
  /// In seconds.
  private(set) var sum = 0.0

  mutating func add(_ duration: Duration) {
    let seconds = duration / .seconds(1)
    count += 1
    sum += seconds
    for (index, limit) in Self.limits.enumerated() where seconds <= limit { buckets[index] += 1 }
  }
}
