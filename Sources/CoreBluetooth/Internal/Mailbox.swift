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
  func receive(_ event: consuming ManagerEvent)
}

/// Delivers events from the loop to the program's queue.
///
/// Events that are posted together are delivered as one batch in one block. Batches follow one another, also on a concurrent
/// queue. After the receiver was released, its events are discarded. Not generic over the kind of manager: calls through a
/// protocol are not specialized, which would cost time for each event.
///
/// `@unchecked Sendable`: `receiver` is set once, before the first event. Waiting events are guarded by the lock, and their contents are
/// accessed on the program's queue only. The count of dropped values and the switches are used on the loop only.
final class Mailbox: CallbackDelivery, @unchecked Sendable {
  struct Batch {
    var events: FIFO<ManagerEvent>
    let finished: @Sendable () -> Void
  }

  struct Waiting {
    /// Events that were posted and not yet collected by the loop.
    var collecting = FIFO<ManagerEvent>()
    /// The room of a batch that was delivered, for the next one.
    var spare: FIFO<ManagerEvent>?
    /// Batches that wait for the queue.
    var ready = FIFO<Batch>()
    /// The number of all waiting events.
    var backlog = 0
    /// Whether switches wait for room.
    var wantsRoom = false
    var isDraining = false
  }

  let queue: DispatchQueue
  /// The same, for a simulated loop.
  private let programQueue: ProgramQueue
  private let loop: any StackLoop
  weak var receiver: (any EventReceiver)?

  private let waiting = Mutex(Carried(Waiting()))
  /// On the loop.
  private var droppedValues = 0
  /// On the loop.
  private var switches = PeerSwitches()
  /// The maximum number of waiting events that peers have caused.
  static let peerBacklog = 65_536
  /// The maximum including requests: one client's writes without response must not displace another client's requests.
  static let requestBacklog = peerBacklog + 1_024
  /// The maximum number of waiting events for a new channel to be accepted from a peer: each holds what the peer has sent on it.
  static let channelBacklog = 4_096
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
    let isFirst = waiting.withLock { waiting in
      waiting.value.collecting.append(event)
      waiting.value.backlog += 1
      return waiting.value.collecting.count == 1
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
  func hasRoom(below limit: Int) -> Bool { waiting.withLock { $0.value.backlog } < limit }

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
    let wantsRoom = !switches.isEmpty
    waiting.withLock { $0.value.wantsRoom = wantsRoom }
  }

  /// Nothing is switched on any longer, and no single events are delivered for it. On the loop.
  func forgetSwitches() { switches.removeAll() }

  private func postSwitches() { for event in switches.takeAll() { post(event) } }

  func dispatch(finished: @escaping @Sendable () -> Void) {
    let mustStart = waiting.withLock { waiting in
      var events = waiting.value.spare ?? FIFO()
      waiting.value.spare = nil
      swap(&events, &waiting.value.collecting)
      waiting.value.ready.append(Batch(events: events, finished: finished))
      defer { waiting.value.isDraining = true }
      return !waiting.value.isDraining
    }
    if mustStart { start() }
  }

  private func start() { queue.async { self.drain() } }

  /// Delivers one batch; another block delivers the next, so that other work of the queue can run between them.
  private func drain() {
    guard var batch = waiting.withLock({ Carried($0.value.ready.popFirst()) }).value else { return }
    let count = batch.events.count
    // Each is taken out of the list: a copy of an event counts the references to everything in it.
    while let event = batch.events.popFirst() {
      // Retained for one event only: a program may release its manager inside a callback, and then receives no further event.
      guard let receiver else { break }
      receiver.receive(event)
    }
    // A long batch is not kept for the next one.
    let emptied = Carried(count <= Self.spareLimit && batch.events.isEmpty ? batch.events : nil)
    let (goesOn, hasRoom) = waiting.withLock { carried in
      carried.value.backlog -= count
      if carried.value.spare == nil { carried.value.spare = emptied.value }
      carried.value.isDraining = !carried.value.ready.isEmpty
      let hasRoom = carried.value.wantsRoom && carried.value.backlog < Self.peerBacklog / 2
      if hasRoom { carried.value.wantsRoom = false }
      return (carried.value.isDraining, hasRoom)
    }
    if goesOn { start() }
    if hasRoom { loop.submit(from: .common) { self.postSwitches() } }
    // Last: a simulated world continues inside this call.
    batch.finished()
  }
}
