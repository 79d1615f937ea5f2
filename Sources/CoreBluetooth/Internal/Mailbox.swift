internal import BLECore
internal import Synchronization

/// Events from the loop to a manager.
enum ManagerEvent {
  case central(CentralEvent)
  case peripheral(PeripheralManagerEvent)
}

/// The receiver of a mailbox's events.
protocol EventReceiver: AnyObject, SendableMetatype {
  /// Called on the program's queue, one event after the other.
  func receive(_ event: ManagerEvent)
}

/// Delivers events from the loop to the program's queue.
///
/// Events that are posted together are delivered as one batch in one block. Batches follow one another, also on a concurrent
/// queue. After the receiver was released, its events are discarded. Not generic over the kind of manager: calls through a
/// protocol are not specialized, which would cost time for each event.
///
/// `@unchecked Sendable`: `receiver` is set once, before the first event; waiting events are guarded by the lock, and their
/// contents are accessed on the program's queue only.
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
  /// Events that were posted and not yet collected by the loop.
  private var collecting: [ManagerEvent] = []
  /// The room of a batch that was delivered, for the next one.
  private var spare: [ManagerEvent] = []
  /// Batches that wait for the queue.
  private var ready: [Batch] = []
  /// The number of all waiting events.
  private var backlog = 0
  /// On the loop.
  private var droppedValues = 0
  /// On the loop.
  private var switches = PeerSwitches()
  /// Whether switches wait for room.
  private var wantsRoom = false
  /// The maximum number of waiting events that peers have caused.
  static let peerBacklog = 65_536
  /// The maximum including requests: one client's writes without response must not displace another client's requests.
  static let requestBacklog = peerBacklog + 1_024
  /// The maximum number of waiting events for a new channel to be accepted from a peer: each holds what the peer has sent on it.
  static let channelBacklog = 4_096
  private var isDraining = false
  private static let spareLimit = 64

  init(queue: DispatchQueue, loop: any StackLoop) {
    self.queue = queue
    self.loop = loop
    programQueue = ProgramQueue(queue)
    loop.follow(programQueue)
  }

  deinit { loop.unfollow(programQueue) }

  var isIndependent: Bool { true }

  /// On the loop.
  func post(_ event: ManagerEvent) {
    let isFirst = lock.withLock { _ in
      collecting.append(event)
      backlog += 1
      return collecting.count == 1
    }
    if isFirst { loop.deliver(self) }
  }

  /// Drops the event if `limit` events wait: for events at the rate of the air, and for requests that can be refused. On the loop.
  /// - Returns: whether the event was accepted.
  @discardableResult
  func post(_ event: ManagerEvent, ifFewerWaitThan limit: Int) -> Bool {
    guard hasRoom(below: limit) else { return false }
    post(event)
    return true
  }

  /// Whether fewer events than `limit` wait.
  func hasRoom(below limit: Int) -> Bool { lock.withLock { _ in backlog } < limit }

  /// Delivers an unsolicited value: a notification, an indication, or a write without response. Beyond 65,536 waiting events it
  /// is dropped, which the specification leaves to the receiver of what is not confirmed (Core, Vol 3 Part F 3.3.2), and logged:
  /// for the first, the second, the fourth and so on, since a peer that fills the memory would otherwise fill the log. On the
  /// loop.
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
      which does not process them in time: let its callbacks return sooner
      """)
    return false
  }

  /// Delivers a change of something that a peer switches on and off. Beyond 65,536 waiting events, the program receives the
  /// current state when there is room again, and no event if it already knows that state. On the loop.
  func post(_ event: ManagerEvent, switching key: PeerSwitch, isOn: Bool) {
    if switches.isEmpty, post(event, ifFewerWaitThan: Self.peerBacklog) { return switches.told(key, isOn: isOn) }
    switches.hold(event, key, isOn: isOn)
    lock.withLock { _ in wantsRoom = !switches.isEmpty }
  }

  /// Nothing is switched on any longer, and no single events are delivered for it. On the loop.
  func forgetSwitches() { switches.removeAll() }

  private func postSwitches() { for event in switches.takeAll() { post(event) } }

  func dispatch(finished: @escaping @Sendable () -> Void) {
    let mustStart = lock.withLock { _ in
      ready.append(Batch(events: collecting, finished: finished))
      collecting = spare
      spare = []
      defer { isDraining = true }
      return !isDraining
    }
    if mustStart { start() }
  }

  private func start() { queue.async { self.drain() } }

  /// Delivers one batch; another block delivers the next, so that other work of the queue can run between them.
  private func drain() {
    var events: [ManagerEvent] = []
    let finished = takeBatch(into: &events)
    let count = events.count
    // From behind, each taken out of the list: a copy of an event counts the references to everything in it.
    events.reverse()
    while let event = events.popLast() {
      // Retained for one event only: a program may release its manager inside a callback, and then receives no further event.
      guard let receiver else { break }
      receiver.receive(event)
    }
    // A long batch is not kept for the next one.
    events.removeAll(keepingCapacity: count <= Self.spareLimit)
    let emptied = Carried(events)
    let (goesOn, hasRoom) = lock.withLock { _ in
      backlog -= count
      if spare.capacity == 0 { spare = emptied.value }
      isDraining = !ready.isEmpty
      let hasRoom = wantsRoom && backlog < Self.peerBacklog / 2
      if hasRoom { wantsRoom = false }
      return (isDraining, hasRoom)
    }
    if goesOn { start() }
    if hasRoom { loop.submit(from: .common) { self.postSwitches() } }
    // Last: a simulated world continues inside this call.
    finished()
  }

  /// - Returns: what is called at the end of the batch.
  private func takeBatch(into events: inout [ManagerEvent]) -> @Sendable () -> Void {
    let batch = lock.withLock { _ in Carried(ready.removeFirst()) }.value
    events = batch.events
    return batch.finished
  }
}
