import BLECore

/// Performs a connector's actions with the controller, and receives its failures.
protocol ConnectorDelegate: AnyObject {
  /// Start initiating: connect to the first of `targets` that is received. Answer with exactly one call of
  /// `connector.initiationRefused`, `initiationPostponed` or `initiationEnded`.
  func connector(_ connector: Connector, initiatesTo targets: [DeviceAddress])
  /// Cancel the initiation; it is still answered as above.
  func connectorCancelsInitiation(_ connector: Connector)
  /// Called when the connection to `address` has failed and is no longer wanted.
  func connector(_ connector: Connector, didFail address: DeviceAddress, reason: EndReason)
  /// Returns whether there is a link to `address`, including one that is ending.
  func connector(_ connector: Connector, hasLinkTo address: DeviceAddress) -> Bool
  /// Called when the wanted devices, or whether the connector is initiating, may have changed.
  func connectorDidChange(_ connector: Connector)
}

extension ConnectorDelegate {
  func connectorDidChange(_ connector: Connector) {}
}

/// The connections that are wanted and not established, without a time-out.
///
/// A controller has one initiator. It receives all wanted devices together if its filter accept list has room for them; otherwise
/// they take turns. A state machine without I/O: actions go to its delegate, events are method calls.
final class Connector: TimerTarget {
  private enum Phase: Equatable {
    case idle
    case initiating
    /// The initiation is being cancelled, because other devices are wanted now.
    case cancelling
  }

  /// The duration of one group's turn while other devices wait.
  static let turn = StackDuration.milliseconds(2_500)

  /// The failed attempts to connect to a device.
  private struct Backoff {
    var attempts = 0
    /// Set during the pause before the next attempt.
    var timer: TimerToken?
  }

  private weak var delegate: (any ConnectorDelegate)?
  private let loop: any StackLoop
  /// In the order of their turns.
  private var wanted: [DeviceAddress] = []
  private var targets: [DeviceAddress] = []
  private var phase = Phase.idle
  private var turnTimer: TimerToken?
  /// The wanted devices to which attempts have failed.
  private var backoffs: [DeviceAddress: Backoff] = [:]
  /// Whether initiating is paused, whatever is wanted.
  private var isPaused = false
  /// How many devices the controller can initiate to at the same time, at least 1.
  var capacity = 1

  init(loop: any StackLoop, delegate: any ConnectorDelegate) {
    self.loop = loop
    self.delegate = delegate
  }

  var isIdle: Bool { phase == .idle && wanted.isEmpty }
  /// Whether the controller is initiating, or its initiation is being cancelled.
  var isInitiating: Bool { phase != .idle }
  /// Whether there is a device to initiate to.
  var isSearching: Bool { wanted.contains(where: isCandidate) }

  /// Initiates to `address` from now on.
  func want(_ address: DeviceAddress) {
    if wanted.contains(address) { return }
    wanted.append(address)
    update()
  }

  /// Stops initiating to `address`. A link that is being established at this moment may still be reported.
  func abandon(_ address: DeviceAddress) {
    forgetAttempts(to: address)
    guard let index = wanted.firstIndex(of: address) else { return }
    wanted.remove(at: index)
    update()
  }

  func isWanted(_ address: DeviceAddress) -> Bool { wanted.contains(address) }

  /// Pauses or resumes initiating.
  func setPaused(_ isPaused: Bool) {
    if self.isPaused == isPaused { return }
    self.isPaused = isPaused
    update()
  }

  /// The controller cannot initiate at this moment: pauses until `setPaused(false)`. The wanted devices stay wanted.
  func initiationPostponed() {
    end()
    isPaused = true
    update()
  }

  /// All wanted devices, in the order of their turns.
  var allWanted: [DeviceAddress] { wanted }

  /// Restarts the initiation, because addresses may have changed.
  func restart() {
    if phase == .initiating { cancel() }
  }

  /// The controller was reset or removed: nothing is wanted.
  func reset() {
    for address in Array(backoffs.keys) { forgetAttempts(to: address) }
    wanted = []
    targets = []
    phase = .idle
    isPaused = false
    stopTurns()
  }

  /// A link was established or ended, so the devices to initiate to may have changed.
  func linksChanged() { update() }

  /// The controller refused to initiate to the targets.
  func initiationRefused(_ reason: EndReason) {
    let failed = phase == .cancelling ? [] : targets
    end()
    for address in failed { fail(address, reason) }
    update()
  }

  /// The initiation has ended: with a link to `address`, by being cancelled (`nil`), or with `error`.
  func initiationEnded(_ address: DeviceAddress?, error: EndReason? = nil) {
    let failed = phase == .cancelling ? [] : targets
    end()
    if let error {
      for target in failed where address == nil || target == address {
        if error == .failedToEstablish { backOff(target) } else { fail(target, error) }
      }
    } else if let address {
      wanted.removeAll { $0 == address }
    }
    update()
  }

  /// Ends the turn of the current targets: they move to the end of the queue.
  func timerFired(tag: Int) {
    turnTimer = nil
    let last = targets
    wanted.removeAll { last.contains($0) }
    wanted.append(contentsOf: last)
    if phase == .initiating { cancel() }
  }

  private func fail(_ address: DeviceAddress, _ reason: EndReason) {
    guard let index = wanted.firstIndex(of: address) else { return }
    forgetAttempts(to: address)
    wanted.remove(at: index)
    delegate?.connector(self, didFail: address, reason: reason)
  }

  /// A link to `address` was not established: another central was faster, or the first packets were lost. Initiates again after a
  /// pause, which grows with each attempt up to a limit, so that a device that never answers costs little.
  func retry(_ address: DeviceAddress) {
    if !wanted.contains(address) { wanted.append(address) }
    backOff(address)
    update()
  }

  private func backOff(_ address: DeviceAddress) {
    guard wanted.contains(address) else { return }
    var backoff = backoffs[address] ?? Backoff()
    if let timer = backoff.timer { loop.cancel(timer) }
    let last = LinkPolicy.attemptDelays.count - 1
    let delay = LinkPolicy.attemptDelays[min(backoff.attempts, last)]
    // From then on the attempts are repeated without end, which is background work.
    let kind = backoff.attempts < last ? TimerKind.work : .background
    backoff.attempts = min(backoff.attempts + 1, last)
    backoff.timer = loop.schedule(after: delay, kind) { [weak self] in
      guard let self else { return }
      self.backoffs[address]?.timer = nil
      self.update()
    }
    backoffs[address] = backoff
  }

  private func forgetAttempts(to address: DeviceAddress) {
    guard let backoff = backoffs.removeValue(forKey: address), let timer = backoff.timer else { return }
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

  /// Whether a wanted device has neither a link nor a pause.
  private func isCandidate(_ address: DeviceAddress) -> Bool {
    guard let delegate else { return false }
    return !delegate.connector(self, hasLinkTo: address) && backoffs[address]?.timer == nil
  }

  private func update() {
    guard let delegate else { return }
    initiate(to: wanted.filter(isCandidate), delegate)
    delegate.connectorDidChange(self)
  }

  private func initiate(to candidates: [DeviceAddress], _ delegate: any ConnectorDelegate) {
    switch phase {
    case .cancelling: return
    case .initiating:
      if isPaused { return cancel() }
      // A target is no longer a candidate, or there is room for another candidate.
      if !targets.allSatisfy(candidates.contains) || targets.count < min(capacity, candidates.count) { return cancel() }
    case .idle:
      if isPaused { return }
      targets = Array(candidates.prefix(capacity))
      if targets.isEmpty { return }
      phase = .initiating
      delegate.connector(self, initiatesTo: targets)
    }
    if phase == .initiating, candidates.count > targets.count, turnTimer == nil {
      turnTimer = loop.schedule(after: Self.turn, .background, self)
    }
  }
}
