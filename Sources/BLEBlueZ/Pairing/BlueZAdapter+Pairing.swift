import BLEAdapter
import BLECore
import BLEHost
import BLEPairing

extension BlueZAdapter: PairingEnvironment {
  func isUsed(_ device: String) -> Bool {
    peer(of: device).map { presentLink(to: $0.identifier) != nil } ?? false
  }

  var offersProtectedValues: Bool { peripherals.contains { $0.offersProtectedValues } }
}

extension BlueZAdapter: SystemPairing {
  public func pairedDevices(_ completion: @escaping @Sendable (Result<[KnownPeer], SystemPairingError>) -> Void) {
    whenReady(completion) { stack in
      let paired = stack.mirror.devices.values.filter { $0.isPaired && $0.adapter == stack.adapterPath }
      let peers = paired.sorted { $0.number < $1.number }.map { device in
        let peer = stack.directory.peer(at: device.address)
        return KnownPeer(
          identifier: peer.identifier, address: peer.address, name: peer.advertisedName,
          readName: device.name ?? peer.readName)
      }
      completion(.success(peers))
    }
  }

  public func pair(
    with peer: PeerIdentifier, _ completion: @escaping @Sendable (Result<Bool, SystemPairingError>) -> Void
  ) {
    whenReady(completion) { stack in
      guard let bus = stack.bus, let device = stack.device(of: peer) else {
        return completion(.failure(SystemPairingError("the Bluetooth daemon does not know the device; scan first")))
      }
      if device.isPaired { return completion(.success(false)) }
      stack.pair(device.path, on: bus, completion)
    }
  }

  /// The daemon never answers `Pair` where it was still discovering services of a device that was connected before (seen with 5.66), though
  /// the pairing succeeds: so the device's `Paired` property completes the call as well.
  private func pair(
    _ path: String, on bus: MessageBus, _ completion: @escaping @Sendable (Result<Bool, SystemPairingError>) -> Void
  ) {
    if pairingsUnderWay[path] != nil {
      return completion(.failure(SystemPairingError("a pairing with the device is already in progress")))
    }
    pairingsUnderWay[path] = { [weak self] error in
      guard let self, self.pairingsUnderWay.removeValue(forKey: path) != nil else { return }
      self.agent.ended(with: path, error)
      guard let error else { return completion(.success(true)) }
      let isPaired = error.name == "org.bluez.Error.AlreadyExists"
      completion(isPaired ? .success(false) : .failure(SystemPairingError(error.description)))
    }
    agent.register()
    agent.begin(with: path)
    // The daemon allows a user a minute to answer; the limit is for a daemon that never replies.
    bus.call("Pair", of: BlueZName.device, at: path, on: BlueZName.service, timeout: .seconds(120)) {
      [weak self] result in
      switch result {
      case .success: self?.pairingsUnderWay[path]?(nil)
      case .failure(let error): self?.pairingsUnderWay[path]?(error)
      }
    }
  }

  public func forget(
    _ peer: PeerIdentifier, _ completion: @escaping @Sendable (Result<Void, SystemPairingError>) -> Void
  ) {
    whenReady(completion) { stack in
      guard let bus = stack.bus, let adapter = stack.adapterPath, let device = stack.device(of: peer) else {
        return completion(.failure(SystemPairingError("the Bluetooth daemon does not know the device")))
      }
      bus.call(
        "RemoveDevice", of: BlueZName.adapter, at: adapter, on: BlueZName.service, [.objectPath(device.path)],
        timeout: .seconds(25)
      ) { result in
        completion(result.map { _ in }.mapError { SystemPairingError($0.description) })
      }
    }
  }

  private func device(of peer: PeerIdentifier) -> DeviceObject? {
    directory.peers([peer]).first.flatMap { device(at: $0.address) }
  }

  /// Runs `job` on the loop once the adapter is ready; fails after a time limit.
  private func whenReady<Value>(
    _ completion: @escaping @Sendable (Result<Value, SystemPairingError>) -> Void,
    _ job: @escaping @Sendable (BlueZAdapter) -> Void
  ) {
    onLoop { $0.poll(until: $0.loop.now + .seconds(10), completion, job) }
  }

  private func poll<Value>(
    until deadline: StackInstant, _ completion: @escaping @Sendable (Result<Value, SystemPairingError>) -> Void,
    _ job: @escaping @Sendable (BlueZAdapter) -> Void
  ) {
    if isRunning { return job(self) }
    let isLasting = state == .unsupported || state == .unauthorized || state == .poweredOff
    if isLasting || loop.now >= deadline {
      return completion(.failure(SystemPairingError("the adapter is \(state)")))
    }
    loop.schedule(after: .milliseconds(20), .work) { [self] in poll(until: deadline, completion, job) }
  }
}
