internal import BLECore
internal import Synchronization

/// What a manager's mailbox brings its events to.
protocol EventReceiver: AnyObject, SendableMetatype {
  associatedtype Event
  /// On the program's queue, one event after the other.
  func receive(_ event: Event)
}

/// The way of events from the loop to the program's queue.
///
/// Events that come up together travel as one batch in one block. Batches follow one another, also on a concurrent queue. When
/// the receiver is gone its events are thrown away.
///
/// `@unchecked Sendable`: `receiver` is set once, before the first event; all else is behind the mutex, and what the events
/// carry is opened on the program's queue only.
final class Mailbox<Receiver: EventReceiver>: CallbackDelivery, @unchecked Sendable {
  private struct Batch {
    var events: [Receiver.Event]
    let finished: @Sendable () -> Void
  }

  private struct Shared {
    /// What came up and was not fetched by the loop yet.
    var collecting: [Receiver.Event] = []
    /// What waits for the queue.
    var ready: [Batch] = []
    /// How many events wait altogether.
    var backlog = 0
    var isDraining = false
  }

  let queue: DispatchQueue
  private let loop: any StackLoop
  weak var receiver: Receiver?
  private let shared = Locked(Shared())

  init(queue: DispatchQueue, loop: any StackLoop) {
    self.queue = queue
    self.loop = loop
  }

  /// On the loop.
  func post(_ event: Receiver.Event) {
    let isFirst = shared.withLock { shared in
      shared.collecting.append(event)
      shared.backlog += 1
      return shared.collecting.count == 1
    }
    if isFirst { loop.deliver(self) }
  }

  /// Drops the event where more than `limit` wait already: for what comes at the pace of the air and may be missed. On the loop.
  func post(_ event: Receiver.Event, ifFewerWaitThan limit: Int) {
    if shared.withLock({ $0.backlog }) < limit { post(event) }
  }

  func dispatch(finished: @escaping @Sendable () -> Void) {
    let mustStart = shared.withLock { shared in
      var events: [Receiver.Event] = []
      swap(&events, &shared.collecting)
      shared.ready.append(Batch(events: events, finished: finished))
      defer { shared.isDraining = true }
      return !shared.isDraining
    }
    if mustStart { start() }
  }

  private func start() { queue.async { self.drain() } }

  /// One batch; another block takes the next, so that other work of the queue gets its turn.
  private func drain() {
    let batch = shared.withLock { $0.ready.removeFirst() }
    if let receiver {
      for event in batch.events { receiver.receive(event) }
    }
    let goesOn = shared.withLock { shared in
      shared.backlog -= batch.events.count
      shared.isDraining = !shared.ready.isEmpty
      return shared.isDraining
    }
    if goesOn { start() }
    // Last: a simulated world goes on inside this call.
    batch.finished()
  }
}
