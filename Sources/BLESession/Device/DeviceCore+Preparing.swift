import CoreBluetooth

/// Discovery under way.
final class Preparation {
  /// Services whose characteristics were asked for and not answered yet.
  var open: Set<ObjectIdentifier> = []
  var timer: (any SessionTimer)?
  /// Whether the device was ready before: then it has proved itself already.
  let isRenewal: Bool

  init(isRenewal: Bool) { self.isRenewal = isRenewal }
}

extension DeviceCore {
  /// Discovers what the configuration asks for, then takes up the subscriptions again, then lets the device prove itself.
  func prepare(isRenewal: Bool = false) {
    guard let peripheral else { return }
    preparation?.timer?.cancel()
    let preparation = Preparation(isRenewal: isRenewal)
    self.preparation = preparation
    if !isRenewal { enter(.preparing) }
    preparation.timer = call(after: configuration.answerTime) { [weak preparation] core in
      guard preparation != nil, core.preparation === preparation else { return }
      core.dropLink(SessionError(.timedOut, "the device did not tell its services in time"))
    }
    discoveriesUnderWay += 1
    peripheral.discoverServices(configuration.services)
  }

  package func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    guard peripheral === self.peripheral else { return }
    discoveriesUnderWay = max(0, discoveriesUnderWay - 1)
    // Services that change again while they are discovered: only the last answer holds what can be used.
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
      preparation.timer?.cancel()
      self.preparation = nil
      guard preparation.isRenewal, state == .ready else { return checkIdentity() }
      operations.becomeReady()
      settleSubscriptions()
    }
  }

  /// What the device changed is discovered anew; what was under way on the old attributes fails.
  package func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
    guard peripheral === self.peripheral, isConnected else { return }
    emit(.servicesChanged)
    let wasReady = state == .ready
    if !wasReady {
      opening?.timer?.cancel()
      opening = nil
      identityReply = nil
    }
    operations.close(SessionError(.notFound, "the device changed its services while this was under way"))
    prepare(isRenewal: wasReady)
  }
}
