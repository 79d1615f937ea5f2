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

  /// The pauses before the daemon is asked again; the last one stays.
  private static let restDelays: [StackDuration] = [
    .milliseconds(50), .milliseconds(200), .milliseconds(500), .seconds(1), .seconds(2),
  ]
  private static let settlingLimit = StackDuration.seconds(5)
  /// How long the daemon may take to disconnect.
  private static let closingLimit = StackDuration.seconds(15)
  /// How long a link that nobody wants any more stays for what is still under way on it.
  private static let farewellLimit = StackDuration.seconds(5)
  /// A link that is ended right behind a write without response takes it along (seen with 5.82).
  private static let commandFarewell = StackDuration.milliseconds(150)

  unowned let stack: BlueZAdapter
  private(set) var peer: KnownPeer
  private(set) var phase = Phase.idle
  private(set) var device: DeviceObject?
  private(set) var operations: AttributeOperations
  private var waiting: [BlueZCentral] = []
  private var users: [BlueZPeerLink] = []
  private var attempts = 0
  private var timer: TimerToken?
  private var call: BusCall?
  /// Whether this process has asked for the link: one that was there before is not ended.
  private var isOwn = false
  /// What the daemon has said of the end, before it showed the end.
  private var reason: String?
  private var leavingSince: StackInstant?
  private var changed: ClosedRange<AttributeHandle>?
  var subscriptions: [AttributeHandle: DeviceSubscription] = [:]
  /// What is being read, and what came meanwhile.
  var reading: AttributeHandle?
  var held: [[UInt8]] = []
  var commandsUnderWay = 0
  var lastCommand: StackInstant?

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

  private func admit() {
    guard phase == .up else { return }
    let admitted = waiting
    waiting = []
    for central in admitted { central.join(self).map { users.append($0) } }
    update()
  }

  private func update() {
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

  // MARK: Making it

  private func begin() {
    guard let device = stack.device(at: peer.address) else {
      phase = .searching
      return stack.searchDidChange()
    }
    connect(device)
  }

  private func connect(_ device: DeviceObject) {
    guard let bus = stack.bus else { return }
    self.device = device
    phase = .connecting
    reason = nil
    // What was there before is another program's, or the system's.
    isOwn = !device.isConnected
    call = bus.call("Connect", of: BlueZName.device, at: device.path, on: BlueZName.service, timeout: nil) {
      [weak self] result in
      guard let self, self.phase == .connecting else { return }
      self.call = nil
      self.connectAnswered(result)
    }
  }

  private func connectAnswered(_ result: Result<[BusValue], BusError>) {
    if case .failure(let error) = result {
      stack.log.log(.debug, "connecting to \(peer.address): \(error)")
      switch ConnectFailure(error) {
      case .isConnected: break
      case .isUnderWay, .tryAgain, .isGone: return rest()
      case .final(let reason): return fail(reason)
      }
    }
    if device?.isConnected == true { return becomeUp() }
    phase = .settling
    schedule(after: Self.settlingLimit) { $0.rest() }
  }

  private func rest() {
    // The daemon said why the link ended before anybody was told of it.
    if reason == "org.bluez.Reason.Authentication" { return fail(.bondLost) }
    phase = .resting
    let delay = Self.restDelays[min(attempts, Self.restDelays.count - 1)]
    attempts += 1
    schedule(after: delay) { link in
      link.phase = .idle
      link.update()
    }
  }

  private func fail(_ reason: EndReason) {
    let failed = waiting
    waiting = []
    phase = .idle
    for central in failed { central.attemptFailed(peer.identifier, reason) }
    update()
  }

  private func becomeUp() {
    guard let device else { return rest() }
    stopTimer()
    call = nil
    phase = .up
    attempts = 0
    reason = nil
    operations = AttributeOperations(loop: stack.loop, isReady: device.areServicesResolved)
    operations.becameIdle = { [weak self] in self?.leaveIfUnused() }
    admit()
  }

  // MARK: Ending it

  /// Ends the link when what was asked of it is done.
  private func leave() {
    guard isOwn else { return ended() }
    let now = stack.loop.now
    let since = leavingSince ?? now
    leavingSince = since
    if now - since < Self.farewellLimit {
      if !operations.isIdle || commandsUnderWay > 0 {
        return schedule(after: Self.farewellLimit) { $0.leaveIfUnused() }
      }
      if let lastCommand, now - lastCommand < Self.commandFarewell {
        return schedule(after: Self.commandFarewell) { $0.leaveIfUnused() }
      }
    }
    disconnect()
  }

  private func disconnect() {
    stopTimer()
    call?.cancel()
    call = nil
    operations.close()
    forgetSubscriptions()
    phase = .closing
    guard let device, let bus = stack.bus else { return ended() }
    call = bus.call(
      "Disconnect", of: BlueZName.device, at: device.path, on: BlueZName.service, timeout: Self.closingLimit
    ) { [weak self] _ in
      guard let self, self.phase == .closing else { return }
      self.ended()
    }
  }

  /// There is no link any more, and whoever used it is told.
  private func ended(_ reason: EndReason = .requested) {
    stopTimer()
    call?.cancel()
    call = nil
    operations.close()
    forgetSubscriptions()
    let left = users
    users = []
    changed = nil
    leavingSince = nil
    lastCommand = nil
    commandsUnderWay = 0
    device?.attributes.forgetMaximumTransmissionUnit()
    device = nil
    phase = .idle
    for user in left {
      user.end()
      user.central?.linkEnded(user, reason)
    }
    update()
  }

  /// The adapter or the daemon is gone: nothing is left, and nobody is told.
  func drop() {
    stopTimer()
    call?.cancel()
    call = nil
    operations.close()
    subscriptions = [:]
    for user in users { user.end() }
    users = []
    waiting = []
    device = nil
    phase = .idle
  }

  // MARK: What the daemon shows

  func deviceDidChange(_ device: DeviceObject, _ changes: DeviceChanges) {
    if self.device == nil, phase == .searching {
      phase = .idle
      stack.searchDidChange()
      return update()
    }
    guard self.device === device || self.device == nil else { return }
    if changes.contains(.connection) { device.isConnected ? connected() : disconnected() }
    if changes.contains(.resolution), self.device === device { resolved(device.areServicesResolved) }
    if changes.contains(.name), let name = device.name {
      for user in users where !user.isOver { user.events?.link(user, didUpdateName: name) }
    }
  }

  private func connected() {
    switch phase {
    case .settling: becomeUp()
    // Somebody else has connected it: the daemon now says so.
    case .resting:
      stopTimer()
      phase = .idle
      update()
    default: break
    }
  }

  private func disconnected() {
    switch phase {
    case .up: ended(EndReason(endOfLink: reason))
    case .closing: ended()
    case .settling: rest()
    default: break
    }
  }

  private func resolved(_ isResolved: Bool) {
    // A daemon that has found the services has connected, also where it does not say so.
    if phase == .connecting || phase == .settling, isResolved, device?.isConnected == true { becomeUp() }
    if phase == .up { operations.setReady(isResolved) }
  }

  func deviceWasRemoved(_ device: DeviceObject) {
    guard self.device === device else { return }
    switch phase {
    case .up: ended(EndReason(endOfLink: reason))
    case .closing: ended()
    case .connecting, .settling:
      // Perhaps there is no answer any more.
      call?.cancel()
      call = nil
      self.device = nil
      rest()
    default: self.device = nil
    }
  }

  func willDisconnect(_ reason: String) { self.reason = reason }

  /// Known by another address from now on.
  func rename(_ peer: KnownPeer) { self.peer = peer }

  func transmissionUnitDidChange() {
    for user in users where !user.isOver {
      user.events?.link(user, didUpdateMaximumTransmissionUnit: maximumTransmissionUnit)
    }
  }

  /// Services were added or removed. What comes together is told together.
  func servicesDidChange(in handles: ClosedRange<AttributeHandle>) {
    guard phase == .up, device?.areServicesResolved == true else { return }
    let isFirst = changed == nil
    changed =
      changed.map {
        min($0.lowerBound, handles.lowerBound)...max($0.upperBound, handles.upperBound)
      } ?? handles
    guard isFirst else { return }
    stack.loop.schedule(after: Self.changeDelay, .work) { [weak self] in self?.tellOfChange() }
  }

  private static let changeDelay = StackDuration.milliseconds(100)

  private func tellOfChange() {
    guard phase == .up, let handles = changed else { return }
    changed = nil
    for handle in subscriptions.keys where handles.contains(handle) {
      if device?.attributes.characteristic(withValue: handle) == nil { subscriptions[handle] = nil }
    }
    for user in users where !user.isOver { user.events?.link(user, didInvalidateServicesIn: handles) }
  }

  // MARK: Time

  private func schedule(after delay: StackDuration, _ action: @escaping (DeviceLink) -> Void) {
    stopTimer()
    timer = stack.loop.schedule(after: delay, .background) { [weak self] in
      guard let self else { return }
      self.timer = nil
      action(self)
    }
  }

  private func stopTimer() {
    if let timer { stack.loop.cancel(timer) }
    timer = nil
  }
}
