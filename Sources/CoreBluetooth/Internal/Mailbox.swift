internal import BLECore
internal import Synchronization

/// What the loop tells a manager's program.
enum ManagerEvent {
  case central(CentralEvent)
  case peripheral(PeripheralManagerEvent)
}

/// What a manager's mailbox brings its events to.
protocol EventReceiver: AnyObject, SendableMetatype {
  /// On the program's queue, one event after the other.
  func receive(_ event: ManagerEvent)
}

/// The way of events from the loop to the program's queue.
///
/// Events that come up together travel as one batch in one block. Batches follow one another, also on a concurrent queue. When
/// the receiver is gone its events are thrown away. Not generic over the kind of manager: what is reached by a protocol is not
/// specialized, and every event would pay for that.
///
/// `@unchecked Sendable`: `receiver` is set once, before the first event; what waits is behind the lock, and what the events carry
/// is opened on the program's queue only.
final class Mailbox: CallbackDelivery, @unchecked Sendable {
  private struct Batch {
    var events: [ManagerEvent]
    let finished: @Sendable () -> Void
  }

  let queue: DispatchQueue
  /// The same, for a simulated loop.
  private let programQueue: ProgramQueue
  private let loop: any StackLoop
  weak var receiver: (any EventReceiver)?

  // Beside the lock, so that an event is moved once.
  private let lock = Mutex(())
  /// What came up and was not fetched by the loop yet.
  private var collecting: [ManagerEvent] = []
  /// What waits for the queue.
  private var ready: [Batch] = []
  /// How many events wait altogether.
  private var backlog = 0
  /// On the loop.
  private var droppedValues = 0
  /// On the loop.
  private var switches = PeerSwitches()
  /// Whether switches wait until there is room for them.
  private var wantsRoom = false
  /// So many events that peers have caused may wait for the queue.
  static let peerBacklog = 65_536
  /// And so many with requests, which one client's writes without response must not keep from another.
  static let requestBacklog = peerBacklog + 1_024
  /// So many events may wait for a channel to be taken from a peer: each holds what the peer has sent on it.
  static let channelBacklog = 4_096
  private var isDraining = false

  init(queue: DispatchQueue, loop: any StackLoop) {
    self.queue = queue
    self.loop = loop
    // A barrier: on a concurrent queue it also waits for blocks that run.
    programQueue = ProgramQueue(queue, label: queue.label) { action in
      // Never changed, and put onto its queue from one place at a time.
      nonisolated(unsafe) let block = DispatchWorkItem(flags: .barrier, block: action)
      return { queue.async(execute: block) }
    }
    loop.follow(programQueue)
  }

  deinit { loop.unfollow(programQueue) }

  /// On the loop.
  func post(_ event: ManagerEvent) {
    let isFirst = lock.withLock { _ in
      collecting.append(event)
      backlog += 1
      return collecting.count == 1
    }
    if isFirst { loop.deliver(self) }
  }

  /// Drops the event where `limit` wait already: for what comes at the pace of the air, and for what a peer can be refused. On the
  /// loop.
  /// - Returns: whether it was taken.
  @discardableResult
  func post(_ event: ManagerEvent, ifFewerWaitThan limit: Int) -> Bool {
    guard hasRoom(below: limit) else { return false }
    post(event)
    return true
  }

  /// Whether fewer events than `limit` wait.
  func hasRoom(below limit: Int) -> Bool { lock.withLock { _ in backlog } < limit }

  /// Brings a value that nobody has asked for: a notification, an indication, or a write without response. Beyond 65,536 events
  /// that wait it is dropped, which the specification leaves to the receiver of what is not confirmed (Core, Vol 3 Part F 3.3.2), and
  /// the log told: at the first, the second, the fourth and so on, since a peer that fills the memory would else fill the log. On
  /// the loop.
  /// - Returns: whether there was room for it.
  @discardableResult
  func offer(_ value: ManagerEvent, log: Logger) -> Bool {
    guard !post(value, ifFewerWaitThan: Self.peerBacklog) else { return true }
    droppedValues += 1
    guard droppedValues.nonzeroBitCount == 1 else { return false }
    log.log(
      .warning,
      """
      Values of peers dropped: \(droppedValues). \(Self.peerBacklog) events wait for the queue of this manager, '\(queue.label)', \
      which doesn't come to them: let its callbacks return sooner
      """)
    return false
  }

  /// Brings news of what a peer switches to and fro. Beyond 65,536 events that wait, the program hears when there is room again
  /// how it stands then, and nothing where that is what it knows. On the loop.
  func post(_ event: ManagerEvent, switching key: PeerSwitch, isOn: Bool) {
    if switches.isEmpty, post(event, ifFewerWaitThan: Self.peerBacklog) { return switches.told(key, isOn: isOn) }
    switches.hold(event, key, isOn: isOn)
    lock.withLock { _ in wantsRoom = !switches.isEmpty }
  }

  /// Nothing is switched on any more, and the program is not told of it one by one. On the loop.
  func forgetSwitches() { switches.removeAll() }

  private func postSwitches() { for event in switches.takeAll() { post(event) } }

  func dispatch(finished: @escaping @Sendable () -> Void) {
    let mustStart = lock.withLock { _ in
      ready.append(Batch(events: collecting, finished: finished))
      collecting = []
      defer { isDraining = true }
      return !isDraining
    }
    if mustStart { start() }
  }

  private func start() { queue.async { self.drain() } }

  /// One batch; another block takes the next, so that other work of the queue gets its turn.
  private func drain() {
    let batch = takeBatch()
    for event in batch.events {
      // Held for one event only: a program may let go of its manager inside a callback, and is then told nothing more.
      guard let receiver else { break }
      receiver.receive(event)
    }
    let (goesOn, hasRoom) = lock.withLock { _ in
      backlog -= batch.events.count
      isDraining = !ready.isEmpty
      let hasRoom = wantsRoom && backlog < Self.peerBacklog / 2
      if hasRoom { wantsRoom = false }
      return (isDraining, hasRoom)
    }
    if goesOn { start() }
    if hasRoom { loop.submit(from: .common) { self.postSwitches() } }
    // Last: a simulated world goes on inside this call.
    batch.finished()
  }

  private func takeBatch() -> Batch {
    lock.withLock { _ in Carried(ready.removeFirst()) }.value
  }
}
