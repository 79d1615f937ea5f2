import BLEAdapter
import BLECore
import BLEHost
import BLEWire

/// The centrals of the process that have subscribed to one characteristic.
struct DeviceSubscription {
  let path: String
  /// The values arrive while this is kept.
  let signals: CharacteristicSignals.Listening?
  var users: [BlueZPeerLink]
}

extension DeviceLink {
  /// How many values are held back during a read; further ones are delivered immediately.
  private static let heldLimit = 256

  /// The daemon is not called where another central of this process has already subscribed.
  func setNotify(
    _ isOn: Bool, for characteristic: RemoteCharacteristic, by user: BlueZPeerLink,
    _ completion: @escaping Completion<Void>
  ) {
    operations.run(completion) { [weak self] done in
      guard let self else { return }
      if isOn {
        self.subscribe(user, to: characteristic, done)
      } else {
        self.unsubscribe(user, from: characteristic.value, done)
      }
    }
  }

  private func subscribe(
    _ user: BlueZPeerLink, to characteristic: RemoteCharacteristic, _ done: @escaping Completion<Void>
  ) {
    let handle = characteristic.value
    if var present = subscriptions[handle] {
      if !present.users.contains(where: { $0 === user }) { present.users.append(user) }
      subscriptions[handle] = present
      return done(.success(()))
    }
    guard ClientConfiguration(properties: characteristic.properties).isEmpty == false else {
      return done(.failure(.attribute(code: ATTErrorCode.requestNotSupported.rawValue)))
    }
    guard let device, let found = device.attributes.characteristic(withValue: handle) else {
      return done(.failure(.attribute(code: ATTErrorCode.invalidHandle.rawValue)))
    }
    let hasConfiguration = device.attributes.descriptors(of: found.declaration)
      .contains { $0.uuid == GATTType.clientCharacteristicConfiguration }
    guard hasConfiguration else {
      return done(.failure(.attribute(code: ATTErrorCode.attributeNotFound.rawValue)))
    }
    let path = found.1.path
    // Recorded before the call: the first values may arrive with the reply.
    let signals = stack.presence.characteristicSignals?.listen(at: path)
    subscriptions[handle] = DeviceSubscription(path: path, signals: signals, users: [user])
    // Not AcquireNotify: a peer that refuses it crashes the daemon (Docs/bluez.md, "Why not the daemon's sockets").
    callObject("StartNotify", of: BlueZName.gattCharacteristic, at: path) {
      [weak self, operations = operations] result in
      // A reply that arrives after the end of its link says nothing of a subscription on the next one.
      guard let self, self.operations === operations else { return }
      switch result {
      case .success:
        if user.isOver { return self.unsubscribe(user, from: handle, done) }
        done(.success(()))
      case .failure(let error):
        self.subscriptions[handle] = nil
        done(.failure(error))
      }
    }
  }

  private func unsubscribe(_ user: BlueZPeerLink, from handle: AttributeHandle, _ done: @escaping Completion<Void>) {
    guard var present = subscriptions[handle], present.users.contains(where: { $0 === user }) else {
      return done(.success(()))
    }
    present.users.removeAll { $0 === user }
    subscriptions[handle] = present.users.isEmpty ? nil : present
    guard present.users.isEmpty else { return done(.success(())) }
    callObject("StopNotify", of: BlueZName.gattCharacteristic, at: present.path) { result in done(result.map { _ in }) }
  }

  /// Ends the subscriptions that only this user has.
  func removeSubscriptions(of user: BlueZPeerLink) {
    for handle in subscriptions.keys.sorted() {
      operations.run({ (_: Result<Void, OperationError>) in }) { [weak self] done in
        self?.unsubscribe(user, from: handle, done)
      }
    }
  }

  /// Called when the link has ended. The daemon would subscribe again with the next link, which Core Bluetooth does not do.
  func forgetSubscriptions() {
    for subscription in subscriptions.values {
      callObject("StopNotify", of: BlueZName.gattCharacteristic, at: subscription.path) { _ in }
    }
    subscriptions = [:]
    held = []
    reading = nil
  }

  // MARK: Received values

  /// The daemon signals the result of a read in the same way as a notification. While this process reads a characteristic to which it is
  /// subscribed, its values are held back until the reply, which shows which of them is the result of the read.
  func received(_ value: [UInt8], of handle: AttributeHandle) {
    guard subscriptions[handle] != nil else { return }
    if reading == handle, held.count < Self.heldLimit {
      held.append(value)
    } else {
      deliver(value, of: handle)
    }
  }

  func readingEnded(_ value: ArraySlice<UInt8>?) {
    guard let handle = reading else { return }
    reading = nil
    var values = held
    held = []
    if let value, let index = values.lastIndex(where: { $0.elementsEqual(value) }) { values.remove(at: index) }
    for value in values { deliver(value, of: handle) }
  }

  private func deliver(_ value: [UInt8], of handle: AttributeHandle) {
    for user in subscriptions[handle]?.users ?? [] where !user.isOver {
      // Where there is no room the value is lost: the daemon has confirmed it already.
      _ = user.events?.link(user, didReceive: value[...], of: handle)
    }
  }
}
