import Foundation

/// State that is used on one serial queue only, with access from any thread.
///
/// `@unchecked Sendable`: `state` leaves this type only inside closures that run on `queue`.
package final class Confined<State: AnyObject>: @unchecked Sendable {
  private let queue: DispatchQueue
  private let clock: any SessionClock
  private let state: State

  /// `make` runs on the queue, so that callbacks that it causes are delivered after it has returned.
  package init(queue: DispatchQueue, clock: any SessionClock, _ make: () -> State) {
    self.queue = queue
    self.clock = clock
    state = queue.sync(execute: make)
  }

  private init(queue: DispatchQueue, clock: any SessionClock, state: State) {
    self.queue = queue
    self.clock = clock
    self.state = state
  }

  /// Returns state that is confined to the same queue. Must not be called on the queue.
  func derived<Other>(_ make: (State) -> Other) -> Confined<Other> {
    Confined<Other>(queue: queue, clock: clock, state: queue.sync { make(state) })
  }

  /// Returns state that was created on this queue. For callers on the queue.
  func derivedOnQueue<Other>(_ state: Other) -> Confined<Other> {
    Confined<Other>(queue: queue, clock: clock, state: state)
  }

  /// Starts `body` on the queue and returns at once.
  package func perform(_ body: @escaping @Sendable (State) -> Void) {
    clock.run(on: queue) { body(self.state) }
  }

  /// Returns the result of `body`, which runs on the queue.
  package func value<Value: Sendable>(_ body: @escaping @Sendable (State) -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      perform { continuation.resume(returning: body($0)) }
    }
  }

  /// Runs `body` on the queue and returns what its reply is given. If the task is cancelled, the reply fails with `cancelled`, and
  /// `Reply.onCancel` undoes what was begun for it.
  package func reply<Value: Sendable>(
    _ body: @escaping @Sendable (State, Reply<Value>) -> Void
  ) async throws(SessionError) -> Value {
    let reply = Reply<Value>()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        perform { state in
          reply.begin(continuation)
          if !reply.isOver { body(state, reply) }
        }
      }
    } onCancel: {
      perform { _ in reply.cancel() }
    }
    return try result.get()
  }
}

/// A reply of any type.
protocol PendingReply {
  var isOver: Bool { get }
  func fail(_ error: SessionError)
}

/// The answer to an asynchronous call: the first outcome is delivered, later ones are ignored.
///
/// `@unchecked Sendable`: touched on the queue of its `Confined` only.
package final class Reply<Value: Sendable>: PendingReply, @unchecked Sendable {
  typealias Outcome = Result<Value, SessionError>

  private var continuation: CheckedContinuation<Outcome, Never>?
  private var early: Outcome?
  package private(set) var isOver = false
  /// Undoes what was begun, when the caller cancels.
  var onCancel: (() -> Void)?
  /// For callers on the queue itself.
  package var whenSucceeded: ((Value) -> Void)?
  package var whenFailed: ((SessionError) -> Void)?

  package init() {}

  func begin(_ continuation: CheckedContinuation<Outcome, Never>) {
    if let early {
      continuation.resume(returning: early)
    } else {
      self.continuation = continuation
    }
  }

  package func succeed(_ value: Value) { give(.success(value)) }
  package func fail(_ error: SessionError) { give(.failure(error)) }

  func give(_ outcome: Outcome) {
    if isOver { return }
    isOver = true
    onCancel = nil
    early = outcome
    continuation?.resume(returning: outcome)
    continuation = nil
    let (succeeded, failed) = (whenSucceeded, whenFailed)
    whenSucceeded = nil
    whenFailed = nil
    switch outcome {
    case .success(let value): succeeded?(value)
    case .failure(let error): failed?(error)
    }
  }

  package func cancel() {
    let undo = onCancel
    give(.failure(SessionError(.cancelled, "cancelled by the caller")))
    undo?()
  }
}
