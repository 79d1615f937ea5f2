import CoreBluetooth

/// A discovery in progress.
final class Preparation {
  /// Services whose characteristics were requested but not received yet.
  var open: Set<ObjectIdentifier> = []
  var timer: (any SessionTimer)?
  /// Whether the session was ready before: then the device's identity was already checked.
  let isRenewal: Bool
  /// What waits for the end of a renewal.
  var waiting: [() -> Void] = []

  init(isRenewal: Bool) { self.isRenewal = isRenewal }
}

extension DeviceCore {
  /// Discovers the configured services, then restores the subscriptions, then checks the device's identity.
  func prepare(isRenewal: Bool = false) {
    guard let peripheral else { return }
    preparation?.timer?.cancel()
    let preparation = Preparation(isRenewal: isRenewal)
    preparation.waiting = self.preparation?.waiting ?? []
    self.preparation = preparation
    if !isRenewal { enter(.preparing) }
    preparation.timer = call(after: configuration.answerTime) { [weak preparation] core in
      guard preparation != nil, core.preparation === preparation else { return }
      core.dropLink(SessionError(.timedOut, "the device's services were not discovered in time"))
    }
    if configuration.services?.isEmpty == true { return discovered() }
    discoveriesUnderWay += 1
    peripheral.discoverServices(configuration.services)
  }

  package func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    guard peripheral === self.peripheral else { return }
    discoveriesUnderWay = max(0, discoveriesUnderWay - 1)
    // If services change during discovery, only the last result is valid.
    guard let preparation, discoveriesUnderWay == 0 else { return }
    if let error { return discoveryFailed(error) }
    let services = peripheral.services ?? []
    for service in configuration.services ?? [] where !services.contains(where: { $0.uuid == service }) {
      return dropLink(SessionError(.notFound, "the device has no service \(service.uuidString)"))
    }
    preparation.open = Set(services.map(ObjectIdentifier.init))
    for service in services { peripheral.discoverCharacteristics(nil, for: service) }
    if services.isEmpty { discovered() }
  }

  package func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) {
    guard peripheral === self.peripheral, let preparation,
      preparation.open.remove(ObjectIdentifier(service)) != nil
    else { return }
    if let error { return discoveryFailed(error) }
    if preparation.open.isEmpty { discovered() }
  }

  private func discoveryFailed(_ error: any Error) {
    dropLink(SessionError(.refused, "the device's services could not be discovered", underlying: error))
  }

  private func discovered() {
    guard let peripheral, let preparation else { return }
    operations.open(peripheral)
    restoreSubscriptions { [weak self] in
      guard let self, self.preparation === preparation else { return }
      endPreparation()
      guard preparation.isRenewal, state == .ready else { return checkIdentity() }
      operations.becomeReady()
      settleSubscriptions()
    }
  }

  func endPreparation() {
    guard let ended = preparation else { return }
    preparation = nil
    ended.timer?.cancel()
    for body in ended.waiting { body() }
  }

  /// Discovers the services again. Operations in progress on the old attributes fail.
  package func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
    // A link that is being disconnected keeps its callbacks until it is down; its attributes are not used any longer.
    guard peripheral === self.peripheral, isConnected, state != .disconnecting else { return }
    emit(.servicesChanged)
    let wasReady = state == .ready
    if !wasReady {
      opening?.timer?.cancel()
      opening = nil
      identityReply = nil
    }
    operations.close(SessionError(.notFound, "the device changed its services during the operation"))
    prepare(isRenewal: wasReady)
  }
}
