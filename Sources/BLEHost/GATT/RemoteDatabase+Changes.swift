import BLEAdapter
import BLECore
import BLEWire

/// Following changes of the peer's database (Core, Vol 3 Part G 2.5.2 and 7).
extension RemoteDatabase {
  /// Subscribes to Service Changed, reads the database hash, and writes Client Supported Features. Characteristics that the peer
  /// lacks are skipped, and failures are ignored.
  func prepareForChanges() {
    run({ (_: Result<Void, OperationError>) in }) { [self] _, done in
      guard let service = layout.services.items.first(where: { $0.uuid == GATTType.genericAttribute }) else {
        return done(.success(()))
      }
      findCharacteristics(in: service.handles) { [self] _ in
        let characteristics = layout.characteristics(of: service)
        func find(_ uuid: BLEUUID) -> RemoteCharacteristic? { characteristics.first { $0.uuid == uuid } }
        let hash = find(GATTType.databaseHash)
        subscribeToChanges(find(GATTType.serviceChanged)) { [self] in
          readHash(hash) { [self] in
            writeFeatures(find(GATTType.clientSupportedFeatures), withHash: hash != nil) { done(.success(())) }
          }
        }
      }
    }
  }

  private func subscribeToChanges(_ characteristic: RemoteCharacteristic?, _ done: @escaping () -> Void) {
    guard let characteristic, !isSubscribedToChanges || serviceChanged != characteristic.value else { return done() }
    serviceChanged = characteristic.value
    findDescriptors(of: characteristic) { [self] _ in
      let descriptors = knownDescriptors(of: characteristic)
      guard let configuration = descriptors.first(where: { $0.uuid == GATTType.clientCharacteristicConfiguration })
      else { return done() }
      client.configure(.indication, at: configuration.handle) { [self] result in
        if case .success = result { isSubscribedToChanges = true }
        done()
      }
    }
  }

  private func readHash(_ characteristic: RemoteCharacteristic?, _ done: @escaping () -> Void) {
    guard let characteristic, layout.hash == nil else { return done() }
    client.read(characteristic.value) { [self] result in
      if case .success(let hash) = result, hash.count == 16 { layout.hash = Array(hash) }
      done()
    }
  }

  private func writeFeatures(_ characteristic: RemoteCharacteristic?, withHash: Bool, _ done: @escaping () -> Void) {
    guard let characteristic, !hasWrittenFeatures else { return done() }
    hasWrittenFeatures = true
    var features: ClientSupportedFeatures = .multipleNotifications
    if withHash { features.insert(.robustCaching) }
    client.write([features.rawValue], to: characteristic.value) { _ in done() }
  }

  /// Checks by the peer's hash whether a layout from an earlier connection is still valid; forgets it if not.
  func verifyLayout(_ done: @escaping () -> Void) {
    if isLayoutVerified { return done() }
    isLayoutVerified = true
    guard let known = layout.hash else {
      forgetLayout()
      return done()
    }
    fetchHash { [self] hash in
      if hash != known { forgetLayout() }
      done()
    }
  }

  /// Forgets everything found: the peer's database is another one, and the peer may have lost this client's configuration.
  private func forgetLayout() {
    layout = RemoteLayout()
    isSubscribedToChanges = false
    hasWrittenFeatures = false
  }

  /// Reads the peer's hash by its type, which needs no known handles.
  func fetchHash(_ done: @escaping ([UInt8]?) -> Void) {
    client.stepValues(GATTType.databaseHash, from: .first, through: .last) { step in
      guard case .found(let values, _) = step, let hash = values.first, hash.value.count == 16 else {
        return done(nil)
      }
      done(hash.value)
    }
  }

  /// Handles a Service Changed indication, which contains the first and the last affected handle.
  func serviceDidChange(_ value: ArraySlice<UInt8>) {
    var reader = ByteReader(value, layer: "GATT Service Changed")
    guard let first = try? reader.attributeHandle("Start of Affected Attribute Handle Range"),
      let last = try? reader.attributeHandle("End of Affected Attribute Handle Range"), first <= last, reader.isAtEnd
    else { return log.log(.debug, "ignored a malformed Service Changed indication") }
    didChange(max(first, .first)...max(last, .first))
  }

  /// Acts on a change immediately, or, if the previous one was recent, together with further ones at the end of the pause.
  ///
  /// - Returns: whether it was acted on immediately.
  @discardableResult
  func didChange(_ handles: ClosedRange<AttributeHandle>) -> Bool {
    guard let pause = changeThrottle.add(handles, at: loop.now) else {
      invalidate(handles)
      return true
    }
    if changeTimer == nil {
      changeTimer = loop.schedule(after: pause, .work) { [weak self] in
        guard let self else { return }
        self.changeTimer = nil
        if let changed = self.changeThrottle.take(at: self.loop.now) { self.invalidate(changed) }
      }
    }
    return false
  }

  /// Forgets what is known of a range and notifies the observers.
  private func invalidate(_ handles: ClosedRange<AttributeHandle>) {
    layout.forget(handles)
    // The hash has changed, too: the next discovery reads it.
    hasPreparedForChanges = false
    subscriptions.removeAll { handle, _ in handles.contains(handle) }
    observers.removeAll { $0.events == nil }
    for observer in observers { observer.events?.database(self, didInvalidateServicesIn: handles) }
  }
}
