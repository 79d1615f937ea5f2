import BLECore

/// What a connector asks of the controller, and tells.
protocol ConnectorDelegate: AnyObject {
  /// Starts to look for any of `targets` and to connect to the first that is heard. Answered by exactly one of
  /// `connector.initiationRefused` and `connector.initiationEnded`.
  func connector(_ connector: Connector, initiatesTo targets: [DeviceAddress])
  /// Gives up what `initiatesTo` began; its answer follows all the same.
  func connectorCancelsInitiation(_ connector: Connector)
  /// `address` is no longer wanted, because of `reason`.
  func connector(_ connector: Connector, didFail address: DeviceAddress, reason: EndReason)
  /// Whether there is a link to `address` already, be it one that is just ending.
  func connector(_ connector: Connector, hasLinkTo address: DeviceAddress) -> Bool
  /// What it looks for, or whether it does, may have changed.
  func connectorDidChange(_ connector: Connector)
}

extension ConnectorDelegate {
  func connectorDidChange(_ connector: Connector) {}
}

/// The connections that are wanted and not made yet, for as long as it takes.
///
/// A controller has one initiator. It is given all wanted devices at once where its filter accept list holds them; otherwise
/// they take turns. A state machine without I/O: what it wants done goes to its delegate, what happened comes in as calls.
final class Connector: TimerTarget {
  private enum Phase: Equatable {
    case idle
    case initiating
    /// The controller was told to stop, because other devices are wanted now.
    case cancelling
  }

  /// How long one group of devices is looked for while others wait for their turn.
  static let turn = StackDuration.milliseconds(2_500)

  /// What became of a device's attempts that failed.
  private struct Rest {
    var attempts = 0
    /// Running while it is not looked for.
    var timer: TimerToken?
  }

  private weak var delegate: (any ConnectorDelegate)?
  private let loop: any StackLoop
  /// In the order of their turns.
  private var wanted: [DeviceAddress] = []
  private var targets: [DeviceAddress] = []
  private var phase = Phase.idle
  private var turnTimer: TimerToken?
  /// Wanted devices to which no link could be established.
  private var rests: [DeviceAddress: Rest] = [:]
  /// Looks for nothing, whatever is wanted.
  private var isPaused = false
  /// How many devices the controller looks for at once, at least 1.
  var capacity = 1

  init(loop: any StackLoop, delegate: any ConnectorDelegate) {
    self.loop = loop
    self.delegate = delegate
  }

  var isIdle: Bool { phase == .idle && wanted.isEmpty }
  /// Whether the controller was told to look for something, and has not said that it has ended.
  var isInitiating: Bool { phase != .idle }
  /// Whether there is something to look for.
  var isSearching: Bool { !openWishes.isEmpty }

  /// Looks for `address` from now on.
  func want(_ address: DeviceAddress) {
    if wanted.contains(address) { return }
    wanted.append(address)
    update()
  }

  /// Stops looking for `address`. A link to it may come up all the same if it was being made at this moment.
  func abandon(_ address: DeviceAddress) {
    forgetAttempts(to: address)
    guard let index = wanted.firstIndex(of: address) else { return }
    wanted.remove(at: index)
    update()
  }

  func isWanted(_ address: DeviceAddress) -> Bool { wanted.contains(address) }

  /// Stops looking for the time being, or goes on.
  func setPaused(_ isPaused: Bool) {
    if self.isPaused == isPaused { return }
    self.isPaused = isPaused
    update()
  }

  /// The controller does not begin to look at this moment; what is wanted stays so. Looks for nothing until it is told to go on.
  func initiationPostponed() {
    end()
    isPaused = true
    update()
  }

  /// All that are looked for, in the order of their turns.
  var allWanted: [DeviceAddress] { wanted }

  /// What is looked for is to be looked for anew: addresses may have changed.
  func restart() {
    if phase == .initiating { cancel() }
  }

  /// The controller is gone, and with it what it looked for.
  func reset() {
    for address in Array(rests.keys) { forgetAttempts(to: address) }
    wanted = []
    targets = []
    phase = .idle
    isPaused = false
    stopTurns()
  }

  /// A link came up or ended: there may be others to look for.
  func linksChanged() { update() }

  /// The controller did not begin to look for the targets.
  func initiationRefused(_ reason: EndReason) {
    let failed = phase == .cancelling ? [] : targets
    end()
    for address in failed { fail(address, reason) }
    update()
  }

  /// The controller looks for nothing any more: it found `address`, was told to stop (`nil`), or failed with `error`.
  func initiationEnded(_ address: DeviceAddress?, error: EndReason? = nil) {
    let failed = phase == .cancelling ? [] : targets
    end()
    if let error {
      for target in failed where address == nil || target == address {
        if error == .failedToEstablish { rest(target) } else { fail(target, error) }
      }
    } else if let address {
      wanted.removeAll { $0 == address }
    }
    update()
  }

  /// The turn of the present targets is over: they go to the end of the queue.
  func timerFired(tag: Int) {
    turnTimer = nil
    let over = targets
    wanted.removeAll { over.contains($0) }
    wanted.append(contentsOf: over)
    if phase == .initiating { cancel() }
  }

  private func fail(_ address: DeviceAddress, _ reason: EndReason) {
    guard let index = wanted.firstIndex(of: address) else { return }
    forgetAttempts(to: address)
    wanted.remove(at: index)
    delegate?.connector(self, didFail: address, reason: reason)
  }

  /// A link to `address` was not established: another central was faster, or its first packets were lost. The device is looked for
  /// again after a pause, which is longer each time up to a limit: one that never answers costs little.
  func retry(_ address: DeviceAddress) {
    if !wanted.contains(address) { wanted.append(address) }
    rest(address)
    update()
  }

  private func rest(_ address: DeviceAddress) {
    guard wanted.contains(address) else { return }
    var rest = rests[address] ?? Rest()
    if let timer = rest.timer { loop.cancel(timer) }
    let last = LinkPolicy.attemptDelays.count - 1
    let delay = LinkPolicy.attemptDelays[min(rest.attempts, last)]
    // What has failed that often goes on for ever.
    let kind = rest.attempts < last ? TimerKind.work : .background
    rest.attempts = min(rest.attempts + 1, last)
    rest.timer = loop.schedule(after: delay, kind) { [weak self] in
      guard let self else { return }
      self.rests[address]?.timer = nil
      self.update()
    }
    rests[address] = rest
  }

  private func forgetAttempts(to address: DeviceAddress) {
    guard let rest = rests.removeValue(forKey: address), let timer = rest.timer else { return }
    loop.cancel(timer)
  }

  private func end() {
    phase = .idle
    targets = []
    stopTurns()
  }

  private func stopTurns() {
    if let turnTimer { loop.cancel(turnTimer) }
    turnTimer = nil
  }

  private func cancel() {
    phase = .cancelling
    stopTurns()
    delegate?.connectorCancelsInitiation(self)
  }

  /// What is wanted, has no link and is not resting.
  private var openWishes: [DeviceAddress] {
    guard let delegate else { return [] }
    return wanted.filter { !delegate.connector(self, hasLinkTo: $0) && rests[$0]?.timer == nil }
  }

  private func update() {
    guard let delegate else { return }
    look(for: openWishes, delegate)
    delegate.connectorDidChange(self)
  }

  private func look(for open: [DeviceAddress], _ delegate: any ConnectorDelegate) {
    switch phase {
    case .cancelling: return
    case .initiating:
      if isPaused { return cancel() }
      // Something unwanted is looked for, or something wanted is left out that there is room for.
      if !targets.allSatisfy(open.contains) || targets.count < min(capacity, open.count) { return cancel() }
    case .idle:
      if isPaused { return }
      targets = Array(open.prefix(capacity))
      if targets.isEmpty { return }
      phase = .initiating
      delegate.connector(self, initiatesTo: targets)
    }
    if phase == .initiating, open.count > targets.count, turnTimer == nil {
      turnTimer = loop.schedule(after: Self.turn, .background, self)
    }
  }
}
