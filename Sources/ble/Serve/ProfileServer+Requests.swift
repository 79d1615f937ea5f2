import BLEProfileFiles
import CoreBluetooth

extension ProfileServer: @MainActor CBPeripheralManagerDelegate {
  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) { waiting.changed() }

  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
    if let error {
      failure = ToolError(.failed, "\(service.uuid.uuidString) was not published: \(error.localizedDescription.inert)")
    } else {
      added += 1
    }
    waiting.changed()
  }

  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
    if let error {
      failure = ToolError(.failed, "Advertising did not start: \(error.localizedDescription.inert)")
    } else {
      isAdvertising = true
    }
    waiting.changed()
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) {
    guard let served = served(characteristic) else { return }
    served.subscribe(central)
    report("subscribed", served, central, nil)
    guard case .every(let interval, let templates) = served.profile.notifications else { return }
    served.startTimer(every: interval) { [weak self, weak served] in
      if let self, let served { self.tick(served, templates) }
    }
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
  ) {
    guard let served = served(characteristic) else { return }
    served.unsubscribe(central)
    if served.subscribers.isEmpty { outbox.removeAll(for: served) }
    report("unsubscribed", served, central, nil)
  }

  func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { send() }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    guard let served = served(request.characteristic) else {
      return peripheral.respond(to: request, withResult: .attributeNotFound)
    }
    guard request.offset >= 0, request.offset <= served.value.count else {
      return peripheral.respond(to: request, withResult: .invalidOffset)
    }
    request.value = Data(served.value[request.offset...])
    peripheral.respond(to: request, withResult: .success)
    // A long value is read in several requests, which count as one read.
    if request.offset == 0 { report("read", served, request.central, served.value) }
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    guard let first = requests.first else { return }
    var changes: [(served: ServedCharacteristic, central: CBCentral, value: [UInt8])] = []
    // All requests are checked before any is applied.
    for request in requests {
      guard let served = served(request.characteristic) else {
        return peripheral.respond(to: first, withResult: .attributeNotFound)
      }
      let earlier = changes.last { $0.served === served }?.value
      let start = request.offset == 0 ? [] : earlier ?? served.value
      guard request.offset >= 0, request.offset <= start.count else {
        return peripheral.respond(to: first, withResult: .invalidOffset)
      }
      let value = start[..<request.offset] + Array(request.value ?? Data())
      guard value.count <= ValueFormat.longest else {
        return peripheral.respond(to: first, withResult: .invalidAttributeValueLength)
      }
      changes.removeAll { $0.served === served }
      changes.append((served, request.central, Array(value)))
    }
    peripheral.respond(to: first, withResult: .success)
    for change in changes { apply(change.value, to: change.served, from: change.central) }
  }

  private func apply(_ value: [UInt8], to served: ServedCharacteristic, from central: CBCentral) {
    if served.profile.onWrite != .ignore { served.value = value }
    report("written", served, central, value)
    guard served.profile.onWrite == .echo, !served.subscribers.isEmpty else { return }
    notify(served, CollectionOfOne(Array(value.prefix(served.longestNotification))))
  }
}
