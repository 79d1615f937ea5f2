import BLEAdapter
import BLECore

/// The link to one device, for all centrals of the process: wanted, being made, there, or ending. On the loop.
///
/// The daemon's `Connect` gives up after a while, knows only devices that are among its objects, and refuses while it is at it for somebody
/// else. A connection here is wanted for as long as it takes: so the device is searched for where it is no object, and the
/// daemon is asked again whenever it gave up.
final class DeviceLink {
  enum Phase {
    case idle
    /// The daemon has to find the device first.
    case searching
    /// It is asked to connect.
    case connecting
    /// It has said yes, and has yet to show the device as connected.
    case settling
    /// It could not, and is asked again.
    case resting
    case up
    case closing
  }

  unowned let stack: BlueZAdapter
  var peer: KnownPeer
  var phase = Phase.idle
  var device: DeviceObject?
  var operations: AttributeOperations
  var waiting: [BlueZCentral] = []
  var users: [BlueZPeerLink] = []
  var attempts = 0
  private var isAdmitting = false
  private var timer: TimerToken?
  var call: BusCall?
  /// Whether this process has asked for the link: one that was there before is not ended.
  var isOwn = false
  /// What the daemon has said of the end, before it showed the end.
  var reason: String?
  var leavingSince: StackInstant?
  var changed: ClosedRange<AttributeHandle>?
  var subscriptions: [AttributeHandle: DeviceSubscription] = [:]
  /// What is being read, and what came meanwhile.
  var reading: AttributeHandle?
  var held: [[UInt8]] = []
  var commandsUnderWay = 0
  var lastCommand: StackInstant?
  /// Channels that those who have left had, and whose last octets are still on their way.
  var closingChannels = 0

  init(stack: BlueZAdapter, peer: KnownPeer) {
    self.stack = stack
    self.peer = peer
    operations = AttributeOperations(loop: stack.loop, isReady: false)
  }

  var isSearching: Bool { phase == .searching }
  var maximumTransmissionUnit: Int { device?.attributes.maximumTransmissionUnit ?? 23 }

  // MARK: Wishes

  func want(_ central: BlueZCentral) {
    if !waiting.contains(where: { $0 === central }) { waiting.append(central) }
    guard phase == .up else { return update() }
    // Later, as with a link that has yet to be made.
    stack.later { [weak self] in self?.admit() }
  }

  /// The central gives up waiting.
  func abandon(_ central: BlueZCentral) {
    waiting.removeAll { $0 === central }
    update()
  }

  /// The user has left.
  func left(_ user: BlueZPeerLink) {
    users.removeAll { $0 === user }
    removeSubscriptions(of: user)
    leaveIfUnused()
  }

  func leaveIfUnused() {
    if phase == .up { update() }
  }

  func admit() {
    guard phase == .up else { return }
    let admitted = waiting
    waiting = []
    if !admitted.isEmpty { leavingSince = nil }
    // Who is told may leave at once: what comes of it is looked at when all are in.
    isAdmitting = true
    for central in admitted { central.join(self).map { users.append($0) } }
    isAdmitting = false
    update()
  }

  func update() {
    if isAdmitting { return }
    switch phase {
    case .idle: if waiting.isEmpty { stack.forget(self) } else { begin() }
    case .searching:
      if !waiting.isEmpty { return }
      phase = .idle
      stack.searchDidChange()
      stack.forget(self)
    case .resting:
      if !waiting.isEmpty { return }
      stopTimer()
      phase = .idle
      stack.forget(self)
    case .connecting, .settling: if waiting.isEmpty { disconnect() }
    case .up: if waiting.isEmpty && users.isEmpty { leave() }
    case .closing: break
    }
  }

  // MARK: Time

  func schedule(after delay: StackDuration, _ action: @escaping (DeviceLink) -> Void) {
    stopTimer()
    timer = stack.loop.schedule(after: delay, .background) { [weak self] in
      guard let self else { return }
      self.timer = nil
      action(self)
    }
  }

  func stopTimer() {
    if let timer { stack.loop.cancel(timer) }
    timer = nil
  }
}
