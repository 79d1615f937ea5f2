import BLEAdapter
import BLECore

/// The link to one device, shared by all centrals of the process: requested, being established, up, or ending. On the loop.
///
/// The daemon's `Connect` times out, works only for devices among its objects, and fails while another program's call is under way.
/// A Core Bluetooth connection request has no time limit: so the device is searched for where it has no object, and `Connect` is called
/// again each time it fails.
final class DeviceLink {
  enum Phase {
    case idle
    /// Waiting until the daemon has found the device.
    case searching
    /// `Connect` is under way.
    case connecting
    /// `Connect` has succeeded, and the device does not show as connected yet.
    case settling
    /// `Connect` has failed, and is called again after a delay.
    case waitingToRetry
    case up
    case closing
  }

  /// Kept: a program may keep the link alone. The stack drops all links when it shuts down.
  let stack: BlueZAdapter
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
  /// Its reply follows the announcements of all attributes.
  var announcement: BusCall?
  /// Whether this process has established the link: one that existed before is not ended.
  var isOwn = false
  /// The reason that the daemon gave before it showed the end.
  var reason: String?
  var leavingSince: StackInstant?
  var changed: ClosedRange<AttributeHandle>?
  var subscriptions: [AttributeHandle: DeviceSubscription] = [:]
  /// The changes of the MTU arrive while this is kept.
  var transmissionUnitSignals: CharacteristicSignals.Listening?
  /// The handle being read, and the values of it received meanwhile.
  var reading: AttributeHandle?
  var held: [[UInt8]] = []
  var commandsUnderWay = 0
  var lastCommand: StackInstant?
  /// How many channels of centrals that have left are still sending.
  var closingChannels = 0

  init(stack: BlueZAdapter, peer: KnownPeer) {
    self.stack = stack
    self.peer = peer
    operations = AttributeOperations(loop: stack.loop)
  }

  var isSearching: Bool { phase == .searching }
  var maximumTransmissionUnit: Int { device?.attributes.maximumTransmissionUnit ?? 23 }

  // MARK: Requests

  func want(_ central: BlueZCentral) {
    if !waiting.contains(where: { $0 === central }) { waiting.append(central) }
    guard phase == .up else { return update() }
    // Asynchronously, as with a link that has yet to be established.
    stack.later { [weak self] in self?.admit() }
  }

  /// Withdraws the central's request.
  func abandon(_ central: BlueZCentral) {
    waiting.removeAll { $0 === central }
    update()
  }

  /// Called when the user has left the link.
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
    // A central may leave inside its callback: the link is updated when all are admitted.
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
    case .waitingToRetry:
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
