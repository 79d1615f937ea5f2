import BLEAdapter
import BLECore

// Making the link.

extension DeviceLink {
  /// The delays before the daemon is asked again; the last one repeats.
  private static let retryDelays: [StackDuration] = [
    .milliseconds(50), .milliseconds(200), .milliseconds(500), .seconds(1), .seconds(2),
  ]
  private static let settlingLimit = StackDuration.seconds(5)
  /// How long the daemon may take to reply to `Connect`. Its own limit is about 40 s (5.66, 5.82); once it did not reply at all (5.66).
  private static let connectingLimit = StackDuration.seconds(90)

  func begin() {
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
    // A link that existed before is another program's, or the system's.
    if !device.isConnected { isOwn = true }
    call = bus.call("Connect", of: BlueZName.device, at: device.path, on: BlueZName.service, timeout: nil) {
      [weak self] result in
      guard let self, self.phase == .connecting else { return }
      self.call = nil
      self.connectAnswered(result)
    }
    schedule(after: Self.connectingLimit) { $0.connectUnanswered() }
  }

  /// Ends the daemon's attempt, so that the next one is not refused as being in progress.
  private func connectUnanswered() {
    stack.log.log(.warning, "bluetoothd has not replied to Connect for \(peer.address); it is called again")
    disconnect()
  }

  private func connectAnswered(_ result: Result<[BusValue], BusError>) {
    if case .failure(let error) = result {
      stack.log.log(.debug, "connecting to \(peer.address): \(error)")
      switch ConnectFailure(error) {
      case .isConnected: break
      case .isUnderWay, .tryAgain, .isGone: return retryLater()
      case .final(let reason): return fail(reason)
      }
    }
    // A link that was there before and has no services may be one that ends: a daemon that has died leaves those behind.
    if let device, device.isConnected, isOwn || device.areServicesResolved { return becomeUp() }
    phase = .settling
    schedule(after: Self.settlingLimit) { $0.settled() }
    look()
  }

  private func settled() {
    if device?.isConnected == true { becomeUp() } else { retryLater() }
  }

  /// Reads the device's properties. A restarted daemon may not signal that the device is connected if the link from before its restart was
  /// still ending (inferred from a log of 5.66).
  func look() {
    guard let device, let bus = stack.bus else { return }
    bus.call(
      "GetAll", of: BlueZName.properties, at: device.path, on: BlueZName.service, [.string(BlueZName.device)],
      timeout: Self.settlingLimit
    ) { [weak self] result in
      guard let self, self.device === device, self.phase == .connecting || self.phase == .settling,
        case .success(let answer) = result, let properties = answer.first.flatMap(ReportedProperties.init)
      else { return }
      self.stack.mirror.change(device: device.path, properties, [])
    }
  }

  func retryLater() {
    // The daemon gave the reason before a central was notified of the link.
    if reason == "org.bluez.Reason.Authentication" { return fail(.bondLost) }
    phase = .waitingToRetry
    let delay = Self.retryDelays[min(attempts, Self.retryDelays.count - 1)]
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

  func becomeUp() {
    guard let device else { return retryLater() }
    stopTimer()
    call = nil
    announcement?.cancel()
    phase = .up
    attempts = 0
    reason = nil
    operations = AttributeOperations(loop: stack.loop)
    operations.becameIdle = { [weak self] in self?.leaveIfUnused() }
    if device.areServicesResolved { awaitAttributes() }
    admit()
  }

  /// Lets operations begin once the daemon has announced all attributes. Before each reply it sends the signals that wait, in the order in
  /// which their objects began to wait: ServicesResolved may precede the services, which precede the reply to this call.
  func awaitAttributes() {
    guard let device, let bus = stack.bus else { return }
    announcement = bus.call(
      "Get", of: BlueZName.properties, at: device.path, on: BlueZName.service,
      [.string(BlueZName.device), .string("ServicesResolved")], timeout: Self.settlingLimit
    ) { [weak self] _ in
      // A daemon that does not reply in time has said that the services are resolved.
      guard let self, self.phase == .up, self.device === device, device.areServicesResolved else { return }
      // First: operations depend on it.
      self.followTransmissionUnit()
      self.operations.setReady(true)
    }
  }

  /// Reads the link's MTU, which newer daemons report with each characteristic, and follows its changes. Those of characteristics that were
  /// known before this link do not announce it.
  func followTransmissionUnit() {
    let path = device?.attributes.quietCharacteristic?.path
    transmissionUnitSignals = path.flatMap { stack.presence.characteristicSignals?.listen(at: $0) }
    guard let device, let bus = stack.bus, let path else { return }
    bus.call(
      "Get", of: BlueZName.properties, at: path, on: BlueZName.service,
      [.string(BlueZName.gattCharacteristic), .string("MTU")], timeout: Self.settlingLimit
    ) { [weak self] result in
      guard let self, self.phase == .up, self.device === device, let value = (try? result.get())?.first else { return }
      self.stack.mirror.takeMaximumTransmissionUnit(device, value)
    }
  }
}
