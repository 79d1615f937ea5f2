import BLEAdapter
import BLECore
import BLEHCI
import BLEWire
import Synchronization

/// Performs the actions of the ``PowerMachine``.
extension HostStack {
  // MARK: From any thread

  /// Opens the transport and starts the controller. The roles receive the resulting state.
  public func start() { onLoop { $0.powerInput(.start) } }

  /// Switches the adapter off, as a user would: links are disconnected, and roles receive `poweredOff`.
  public func powerOff() { onLoop { $0.powerInput(.setSwitchedOn(false)) } }

  /// Switches the adapter on; retries if it was `unsupported`.
  public func powerOn() { onLoop { $0.powerInput(.setSwitchedOn(true)) } }

  /// Revokes the permission to use Bluetooth: roles receive `unauthorized`.
  public func denyBluetooth() { onLoop { $0.powerInput(.setPermitted(false)) } }

  public func allowBluetooth() { onLoop { $0.powerInput(.setPermitted(true)) } }

  /// Disconnects all links and closes the transport, permanently. `completion` is called on the loop.
  public func shutDown(_ completion: @escaping @Sendable () -> Void) {
    onLoop { stack in
      var open = 2
      let finished = {
        open -= 1
        if open == 0 { stack.security.afterWriting(completion) }
      }
      // Before the managers' activities end, so that the next process can resume them.
      if let stateStore = stack.stateStore { stateStore.flush(finished) } else { finished() }
      stack.afterStopping.append(finished)
      stack.powerInput(.shutDown)
    }
  }

  // MARK: On the loop

  /// Whether the controller is ready and set up to be used.
  var isRunning: Bool { power.isRunning }

  /// Gives the machine an input and performs its actions.
  func powerInput(_ input: PowerMachine.Input) {
    powerInputs.add(input) {
      for action in power.handle($0) { perform(action) }
    }
  }

  private func perform(_ action: PowerMachine.Action) {
    switch action {
    case .startController: controller.start()
    case .prepare(let features, let preparation): prepare(features, preparation)
    case .run(let features): run(features)
    case .endLinks:
      for connection in connections.all { connection.disconnect(.remoteUserTerminated) }
      stopTimer = loop.schedule(after: LinkPolicy.disconnectionLimit, .work) { [weak self] in
        self?.powerInput(.linksEnded)
      }
      endEverything(isLost: false)
      if connections.isEmpty { powerInput(.linksEnded) }
    case .endEverything(let isLost): endEverything(isLost: isLost)
    case .endConnections: endConnections()
    case .stopController: stopController()
    case .drainLinks: drainLinks()
    case .report(let state):
      log.log(.info, "the adapter is \(state)")
      snapshot.withLock { $0.state = state }
      for role in centrals as [any StateListener] + peripherals { role.reportIfChanged(state) }
    }
  }

  // MARK: Starting

  private func prepare(_ features: ControllerFeatures, _ preparation: Int) {
    if entropy is SeededEntropy, !controller.isSimulated {
      log.log(.critical, "seeded random numbers are for simulated controllers only: keys would be predictable")
      return powerInput(.refused)
    }
    advertising.limit = features.supportsExtendedAdvertising ? features.advertisingSetCount : 1
    connector.capacity = max(1, features.filterAcceptListSize)
    randomAddress =
      options.randomAddress ?? options.randomAddressName.map(directory.randomAddress(named:))
      ?? (features.publicAddress == nil ? generatedAddress : nil)
    if let randomAddress { controller.send(LESetRandomAddress(address: randomAddress)) }
    security.begin(as: randomAddress ?? features.publicAddress ?? generatedAddress) { [weak self] in
      self?.powerInput(.bondsLoaded(preparation: preparation))
    }
  }

  /// Starts to run, once the bonds are loaded.
  private func run(_ features: ControllerFeatures) {
    beginPrivacy()
    snapshot.withLock { $0.supportsExtendedAdvertising = features.supportsExtendedAdvertising }
    if options.searchPHYs != .le1M, !canSearchCoded {
      log.log(.error, "this controller does not scan on LE Coded: LE 1M is used instead")
    }
    updateResolvingList()
  }

  // MARK: Stopping

  private func stopController() {
    if let stopTimer { loop.cancel(stopTimer) }
    stopTimer = nil
    controller.stop()
    endConnections()
    let waiting = afterStopping
    afterStopping = []
    for completion in waiting { completion() }
  }

  /// The parts of a link retain each other until then.
  private func endConnections() {
    for connection in connections.all { connection.linkEnded(.poweredOff) }
    connections.removeAll()
  }

  /// Waits until data sent by applications has arrived, even if they end immediately afterwards.
  private func drainLinks() {
    var open = 1
    let finished = { [self] in
      open -= 1
      if open == 0 { powerInput(.linksDrained) }
    }
    for connection in connections.all {
      open += 1
      connection.afterDraining(finished)
    }
    finished()
  }

  /// Simulates the death of the process: the stack stops without reporting anything. On the loop.
  public func abandon() {
    centrals = []
    peripherals = []
    faults?.abandon()
    faults = nil
    powerInput(.abandon)
  }

  /// Ends everything that depends on the controller. Roles receive only the new state.
  private func endEverything(isLost: Bool) {
    publishedChannels = PublishedChannels()
    endPrivacy()
    scanner.reset()
    resetArbiter()
    endScanCare()
    resetAdvertising()
    connector.reset()
    acceptList = []
    for connection in connections.all {
      // Where the user switches the adapter off, or the program ends, links are ended in good order and not lost.
      if isLost, connection.isPublished { linkCounters.linkEnded(.poweredOff) }
      connection.linkEnded(.poweredOff)
    }
    snapshot.withLock {
      $0.connected = [:]
      $0.transmissionUnits = [:]
    }
    for role in centrals as [any StateListener] + peripherals { role.adapterWasLost() }
    server = LocalServer(options: options, log: log)
  }
}

extension HostStack: HCIControllerDelegate {
  public func controller(_ controller: HCIController, didChange state: HCIControllerState) {
    let failure: String? = if case .failed(let failure) = state { failure.description } else { nil }
    snapshot.withLock { $0.failure = failure }
    powerInput(.controller(state))
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
