import BLEAdapter
import BLECore
import BLEHCI
import BLEWire
import Synchronization

/// A role that receives the adapter's state. On the loop.
protocol StateListener: AnyObject {
  /// The state last reported to the role's events; `nil` if none.
  var reportedState: AdapterState? { get set }
  func report(_ state: AdapterState)
  /// The controller was lost or stopped: scans, links, advertising and services of the role have ended, without events.
  func controllerWasLost()
}

extension StateListener {
  func reportIfChanged(_ state: AdapterState) {
    if reportedState == state { return }
    reportedState = state
    report(state)
  }
}

/// The power state of a stack.
struct PowerState {
  enum Phase {
    /// The controller is stopped.
    case down
    /// The controller is started, and may be running.
    case up
    /// Links are being ended before the controller is stopped.
    case stopping
  }

  var phase = Phase.down
  /// Whether the controller is ready and set up to be used.
  var isRunning = false
  /// The state reported to roles.
  var reported = AdapterState.unknown
  /// Whether the controller was ever ready: a failure before that means a missing adapter, not an interruption.
  var hasRun = false
  var isShutDown = false
  /// Whether this stack must not run on this controller.
  var isRefused = false
  /// How often the controller has become ready. Results of requests from an earlier time are ignored.
  var readyCount = 0
  /// Limits the time in phase `stopping`.
  var stopTimer: TimerToken?
  var afterStopping: [() -> Void] = []
}

extension HostStack {
  private var isEnabled: Bool { options.isPermitted && options.isSwitchedOn && !power.isShutDown && !power.isRefused }
  /// Whether the controller is ready and set up to be used.
  var isRunning: Bool { power.isRunning }

  func setSwitchedOn(_ isOn: Bool) {
    options.isSwitchedOn = isOn
    updatePower()
  }

  func setPermitted(_ isPermitted: Bool) {
    options.isPermitted = isPermitted
    updatePower()
  }

  /// Starts or stops the controller as the options demand.
  func updatePower() {
    if isEnabled {
      if power.phase == .down { power.phase = .up }
      // Also retries after a failure.
      if power.phase == .up { controller.start() }
    } else if power.phase == .up {
      stop()
    }
    report()
  }

  /// Reports the state, which follows from the options first, and from the controller second.
  private func report() {
    let state: AdapterState
    if !options.isPermitted {
      state = .unauthorized
    } else if !options.isSwitchedOn {
      state = .poweredOff
    } else if power.isRefused {
      state = .unsupported
    } else {
      switch controller.state {
      case .ready: state = power.isRunning ? .poweredOn : power.reported
      case .resetting: state = power.hasRun ? .resetting : .unsupported
      // An adapter that was ready before counts as off, because it may return; one that never was is missing.
      case .waiting(let cause): state = AdapterState(without: cause) ?? (power.hasRun ? .poweredOff : .unsupported)
      case .failed(.transport(let cause)): state = AdapterState(without: cause) ?? .unsupported
      case .failed: state = .unsupported
      // While the controller starts, the state does not change.
      case .stopped, .starting: state = power.reported
      }
    }
    if state == power.reported { return }
    log.log(.info, "the adapter is \(state)")
    power.reported = state
    snapshot.withLock { $0.state = state }
    for role in centrals as [any StateListener] + peripherals { role.reportIfChanged(state) }
  }

  // MARK: Starting

  private func becomeReady(_ features: ControllerFeatures) {
    guard power.phase == .up else { return }
    if entropy is SeededEntropy, !controller.isSimulated {
      log.log(.critical, "seeded random numbers are for simulated controllers only: keys would be predictable")
      power.isRefused = true
      return stop()
    }
    advertiser.limit = features.supportsExtendedAdvertising ? features.advertisingSetCount : 1
    connector.capacity = max(1, features.filterAcceptListSize)
    randomAddress =
      options.randomAddress ?? options.randomAddressName.map(directory.randomAddress(named:))
      ?? (features.publicAddress == nil ? generatedAddress : nil)
    if let randomAddress { controller.send(LESetRandomAddress(address: randomAddress)) }
    power.readyCount += 1
    let count = power.readyCount
    security.begin(as: randomAddress ?? features.publicAddress ?? generatedAddress) { [weak self] in
      guard let self, power.readyCount == count, power.phase == .up, case .ready = controller.state else { return }
      run(features)
    }
  }

  /// Starts to run, once the bonds are loaded.
  private func run(_ features: ControllerFeatures) {
    beginPrivacy()
    snapshot.withLock { $0.supportsExtendedAdvertising = features.supportsExtendedAdvertising }
    if options.searchPHYs != .le1M, !canSearchCoded {
      log.log(.error, "this controller does not scan on LE Coded: LE 1M is used instead")
    }
    power.isRunning = true
    power.hasRun = true
    updateResolvingList()
    report()
  }

  // MARK: Stopping

  /// Disconnects the links, then stops the controller.
  private func stop() {
    guard power.isRunning else { return finishStopping() }
    power.phase = .stopping
    for connection in connections.all { connection.disconnect(.remoteUserTerminated) }
    power.stopTimer = loop.schedule(after: LinkPolicy.disconnectionLimit, .work) { [weak self] in
      self?.power.stopTimer = nil
      self?.finishStopping()
    }
    endEverything()
    stopIfLinksHaveEnded()
  }

  func stopIfLinksHaveEnded() {
    if power.phase == .stopping, connections.isEmpty { finishStopping() }
  }

  private func finishStopping() {
    if let timer = power.stopTimer { loop.cancel(timer) }
    power.stopTimer = nil
    power.phase = .down
    controller.stop()
    endConnections()
    let waiting = power.afterStopping
    power.afterStopping = []
    for completion in waiting { completion() }
    updatePower()
  }

  func shutDownOnLoop(_ completion: @escaping () -> Void) {
    var open = 2
    let finished = { [self] in
      open -= 1
      if open == 0 { security.afterWriting(completion) }
    }
    // Before the managers' activities end, so that the next process can resume them.
    flushStates(finished)
    power.isShutDown = true
    if power.phase == .down { return finished() }
    power.afterStopping.append(finished)
    afterDrainingLinks { [self] in updatePower() }
  }

  /// Calls `completion` when data sent by applications has arrived, even if they end immediately afterwards.
  private func afterDrainingLinks(_ completion: @escaping () -> Void) {
    var open = 1
    let finished = {
      open -= 1
      if open == 0 { completion() }
    }
    for connection in connections.all {
      open += 1
      connection.afterDraining(finished)
    }
    finished()
  }

  /// Simulates the death of the process: the stack stops without reporting anything. On the loop.
  public func abandon() {
    power.isShutDown = true
    power.phase = .down
    power.reported = .unknown
    centrals = []
    peripherals = []
    controller.stop()
  }

  /// Ends all links, including those established while the stack was stopping. The parts of a link retain each other until then.
  private func endConnections() {
    for connection in connections.all { connection.linkEnded(.poweredOff) }
    connections.removeAll()
  }

  /// Ends everything that depends on the controller. Roles receive only the new state.
  private func endEverything() {
    power.isRunning = false
    publishedChannels = PublishedChannels()
    endPrivacy()
    scanner.reset()
    scanSwitch = ScanSwitch()
    endScanCare()
    endTurns()
    advertiser.reset()
    connector.reset()
    acceptList = []
    for connection in connections.all {
      // Where the user switches the adapter off, or the program ends, links are ended in good order and not lost.
      if power.phase == .up, connection.isPublished { linkCounters.linkEnded(.poweredOff) }
      connection.linkEnded(.poweredOff)
    }
    snapshot.withLock {
      $0.connected = [:]
      $0.transmissionUnits = [:]
    }
    for role in centrals as [any StateListener] + peripherals { role.controllerWasLost() }
    resetServer()
  }
}

extension HostStack: HCIControllerDelegate {
  public func controller(_ controller: HCIController, didChange state: HCIControllerState) {
    switch state {
    case .ready(let features): becomeReady(features)
    case .starting: break
    case .waiting, .stopped, .resetting, .failed:
      if power.isRunning { endEverything() }
      endConnections()
      if power.phase == .stopping { return finishStopping() }
    }
    report()
  }
}

extension AdapterState {
  /// The state for a missing controller if the user can change the cause; `nil` for other causes.
  fileprivate init?(without cause: TransportError) {
    switch cause.kind {
    case .notPermitted: self = .unauthorized
    case .switchedOff: self = .poweredOff
    case .unreachable, .closed, .malformed, .invalidName: return nil
    }
  }
}

extension HCIController {
  /// Sends a command of which only the status matters. `status` is not called if the controller is lost before it answers.
  func send<Command: HCICommand>(_ command: Command, status: @escaping (HCIErrorCode) -> Void) {
    send(command) { result in
      switch result {
      case .success: status(.success)
      case .failure(.refused(let code)): status(code)
      case .failure(.malformed): status(.unspecified)
      case .failure(.notReady): break
      }
    }
  }

  var usesExtendedCommands: Bool { features?.supportsExtendedAdvertising ?? false }
}
