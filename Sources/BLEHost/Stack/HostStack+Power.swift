import BLEAdapter
import BLECore
import BLEHCI
import BLEWire
import Synchronization

/// Told about the adapter's state: both kinds of role. On the loop.
protocol StateListener: AnyObject {
  /// What the role's events were told last; `nil` where nothing.
  var toldState: AdapterState? { get set }
  func tell(_ state: AdapterState)
  /// The controller is gone: scans, links, advertising and services of the role have ended, without events.
  func controllerWentAway()
}

extension StateListener {
  func tellIfNew(_ state: AdapterState) {
    if toldState == state { return }
    toldState = state
    tell(state)
  }
}

/// Where a stack stands between off and running.
struct PowerState {
  enum Phase {
    /// The controller is not wanted.
    case down
    /// It is wanted, and may be running.
    case up
    /// Links are being ended before it is given up.
    case leaving
  }

  var phase = Phase.down
  /// The controller is ready and set up: everything can be asked of it.
  var isRunning = false
  /// What roles were told.
  var reported = AdapterState.unknown
  /// Whether the controller was ever ready: a failure before is no interruption but a missing adapter.
  var hasRun = false
  var isShutDown = false
  /// This stack must not run on this controller.
  var isRefused = false
  /// How often the controller has become ready: what was begun for an earlier time is of no use.
  var beginning = 0
  var farewell: TimerToken?
  var afterLeaving: [() -> Void] = []
}

extension HostStack {
  private var isWanted: Bool { options.isPermitted && options.isSwitchedOn && !power.isShutDown && !power.isRefused }
  /// Everything can be asked of the controller.
  var isRunning: Bool { power.isRunning }

  func setSwitchedOn(_ isOn: Bool) {
    options.isSwitchedOn = isOn
    applyWishes()
  }

  func setPermitted(_ isPermitted: Bool) {
    options.isPermitted = isPermitted
    applyWishes()
  }

  func applyWishes() {
    if isWanted {
      if power.phase == .down { power.phase = .up }
      // What has failed is tried once more.
      if power.phase == .up { controller.start() }
    } else if power.phase == .up {
      leave()
    }
    report()
  }

  /// What roles are told follows from the wishes first, and from the controller second.
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
      // One that was there is off, and programs wait for it; one that never was is missing.
      case .waiting(let cause): state = AdapterState(without: cause) ?? (power.hasRun ? .poweredOff : .unsupported)
      case .failed(.transport(let cause)): state = AdapterState(without: cause) ?? .unsupported
      case .failed: state = .unsupported
      // On the way up nothing is news yet.
      case .stopped, .starting: state = power.reported
      }
    }
    if state == power.reported { return }
    log.log(.info, "the adapter is \(state)")
    power.reported = state
    snapshot.withLock { $0.state = state }
    for role in centrals as [any StateListener] + peripherals { role.tellIfNew(state) }
  }

  // MARK: Up

  private func becomeReady(_ features: ControllerFeatures) {
    guard power.phase == .up else { return }
    if entropy is SeededEntropy, !controller.isSimulated {
      log.log(.critical, "random numbers from a seed are for simulated controllers only: keys could be guessed")
      power.isRefused = true
      return leave()
    }
    advertiser.limit = features.supportsExtendedAdvertising ? features.advertisingSetCount : 1
    connector.capacity = max(1, features.filterAcceptListSize)
    randomAddress =
      options.randomAddress ?? options.randomAddressName.map(directory.randomAddress(named:))
      ?? (features.publicAddress == nil ? madeAddress : nil)
    if let randomAddress { controller.send(LESetRandomAddress(address: randomAddress)) }
    power.beginning += 1
    let beginning = power.beginning
    security.begin(as: randomAddress ?? features.publicAddress ?? madeAddress) { [weak self] in
      guard let self, power.beginning == beginning, power.phase == .up, case .ready = controller.state else { return }
      run(features)
    }
  }

  /// The bonds are known: everything can begin.
  private func run(_ features: ControllerFeatures) {
    beginPrivacy()
    snapshot.withLock { $0.supportsExtendedAdvertising = features.supportsExtendedAdvertising }
    if options.searchPHYs != .le1M, !canSearchCoded {
      log.log(.error, "this controller does not look for devices on LE Coded: LE 1M is used instead")
    }
    power.isRunning = true
    power.hasRun = true
    updateResolvingList()
    report()
  }

  // MARK: Down

  /// Ends the links so that the peers notice, then gives the controller up.
  private func leave() {
    guard power.isRunning else { return left() }
    power.phase = .leaving
    for connection in connections.all { connection.disconnect(.remoteUserTerminated) }
    power.farewell = loop.schedule(after: LinkPolicy.farewellLimit, .work) { [weak self] in
      self?.power.farewell = nil
      self?.left()
    }
    endEverything()
    leaveIfLinksAreGone()
  }

  func leaveIfLinksAreGone() {
    if power.phase == .leaving, connections.isEmpty { left() }
  }

  private func left() {
    if let farewell = power.farewell { loop.cancel(farewell) }
    power.farewell = nil
    power.phase = .down
    controller.stop()
    endConnections()
    let waiting = power.afterLeaving
    power.afterLeaving = []
    for completion in waiting { completion() }
    applyWishes()
  }

  func shutDownOnLoop(_ completion: @escaping () -> Void) {
    var open = 2
    let finished = { [self] in
      open -= 1
      if open == 0 { security.afterWriting(completion) }
    }
    // Before what the managers were doing ends: the next process takes it up.
    flushStates(finished)
    power.isShutDown = true
    if power.phase == .down { return finished() }
    power.afterLeaving.append(finished)
    afterFarewells { [self] in applyWishes() }
  }

  /// What programs sent is to arrive, even where they end right after.
  private func afterFarewells(_ completion: @escaping () -> Void) {
    var open = 1
    let finished = {
      open -= 1
      if open == 0 { completion() }
    }
    for connection in connections.all {
      open += 1
      connection.afterFarewell(finished)
    }
    finished()
  }

  /// What the death of its process does to a stack, for simulations: it does nothing any more, and tells nobody. On the loop.
  public func abandon() {
    power.isShutDown = true
    power.phase = .down
    power.reported = .unknown
    centrals = []
    peripherals = []
    controller.stop()
  }

  /// Also those that came up while the stack was leaving: what a link is made of holds each other until it is ended.
  private func endConnections() {
    for connection in connections.all { connection.linkEnded(.poweredOff) }
    connections.removeAll()
  }

  /// Nothing that depended on the controller is left, and nobody is told but of the state.
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
    for role in centrals as [any StateListener] + peripherals { role.controllerWentAway() }
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
      if power.phase == .leaving { return left() }
    }
    report()
  }
}

extension AdapterState {
  /// What programs are told where there is no controller for a cause that the user can change; `nil` for all others.
  fileprivate init?(without cause: TransportError) {
    switch cause.kind {
    case .notPermitted: self = .unauthorized
    case .switchedOff: self = .poweredOff
    case .unreachable, .closed, .malformed, .invalidName: return nil
    }
  }
}

extension HCIController {
  /// Sends a command of which only the status matters. Where the controller is lost before it answers, what waits for the
  /// answer is gone as well, and `status` is not called.
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
