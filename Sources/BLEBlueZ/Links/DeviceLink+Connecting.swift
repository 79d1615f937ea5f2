import BLEAdapter
import BLECore

// Making the link.

extension DeviceLink {
  /// The pauses before the daemon is asked again; the last one stays.
  private static let restDelays: [StackDuration] = [
    .milliseconds(50), .milliseconds(200), .milliseconds(500), .seconds(1), .seconds(2),
  ]
  private static let settlingLimit = StackDuration.seconds(5)

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
    // What was there before is another program's, or the system's.
    if !device.isConnected { isOwn = true }
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
    look()
  }

  /// Reads the device's properties. A daemon that was started again while the link of its former run was still ending may not signal that
  /// the device is connected (inferred from a log of 5.66).
  func look() {
    guard let device, let bus = stack.bus else { return }
    bus.call(
      "GetAll", of: BlueZName.properties, at: device.path, on: BlueZName.service, [.string(BlueZName.device)],
      timeout: Self.settlingLimit
    ) { [weak self] result in
      guard let self, self.device === device, self.phase == .connecting || self.phase == .settling,
        case .success(let answer) = result, let properties = answer.first?.properties
      else { return }
      self.stack.mirror.change(device: device.path, properties, [])
    }
  }

  func rest() {
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

  func becomeUp() {
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
}
