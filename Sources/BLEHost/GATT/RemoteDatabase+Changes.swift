import BLEAdapter
import BLECore
import BLEWire

/// Keeping up with a peer whose database changes (Core, Vol 3 Part G 2.5.2 and 7).
extension RemoteDatabase {
  /// Asks the peer to tell about changes, takes its hash, and says what this side can do. Whatever the peer lacks of it is
  /// left out, and no failure matters.
  func prepareForChanges() {
    run({ (_: Result<Void, OperationError>) in }) { [self] _, done in
      guard let service = layout.services.items.first(where: { $0.uuid == GATTType.genericAttribute }) else {
        return done(.success(()))
      }
      findCharacteristics(in: service.handles) { [self] _ in
        let characteristics = layout.characteristics(of: service)
        func find(_ uuid: BLEUUID) -> RemoteCharacteristic? { characteristics.first { $0.uuid == uuid } }
        let hash = find(GATTType.databaseHash)
        watch(find(GATTType.serviceChanged)) { [self] in
          readHash(hash) { [self] in
            announceFeatures(find(GATTType.clientSupportedFeatures), withHash: hash != nil) { done(.success(())) }
          }
        }
      }
    }
  }

  private func watch(_ characteristic: RemoteCharacteristic?, _ done: @escaping () -> Void) {
    guard let characteristic, !isWatching || serviceChanged != characteristic.value else { return done() }
    serviceChanged = characteristic.value
    findDescriptors(of: characteristic) { [self] _ in
      let descriptors = knownDescriptors(of: characteristic)
      guard let configuration = descriptors.first(where: { $0.uuid == GATTType.clientCharacteristicConfiguration })
      else { return done() }
      client.configure(.indication, at: configuration.handle) { [self] result in
        if case .success = result { isWatching = true }
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

  private func announceFeatures(_ characteristic: RemoteCharacteristic?, withHash: Bool, _ done: @escaping () -> Void) {
    guard let characteristic, !hasAnnounced else { return done() }
    hasAnnounced = true
    var features: ClientSupportedFeatures = .multipleNotifications
    if withHash { features.insert(.robustCaching) }
    client.write([features.rawValue], to: characteristic.value) { _ in done() }
  }

  /// Sees whether a layout from an earlier connection still holds; forgets it where it does not.
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

  /// The peer is another one than before, and may have forgotten what this side wanted of it.
  private func forgetLayout() {
    layout = RemoteLayout()
    isWatching = false
    hasAnnounced = false
  }

  /// The peer's hash, found by its type: that works whatever this side knows of the peer.
  private func fetchHash(_ done: @escaping ([UInt8]?) -> Void) {
    client.stepValues(GATTType.databaseHash, from: .first, through: .last) { step in
      guard case .found(let values, _) = step, let hash = values.first, hash.value.count == 16 else {
        return done(nil)
      }
      done(hash.value)
    }
  }

  /// Runs an operation. Where the peer says that this side does not know its database any more, it is repeated if it turns
  /// out that it does; otherwise everything that is known is forgotten.
  func retryingWhenOutOfSync<Value>(
    _ done: @escaping Completion<Value>, _ operation: @escaping (@escaping Completion<Value>) -> Void
  ) {
    operation { [self] result in
      guard case .failure(.attribute(ATTErrorCode.databaseOutOfSync.rawValue)) = result else { return done(result) }
      fetchHash { [self] hash in
        if let hash, hash == layout.hash { return operation(done) }
        if didChange(.first ... .last) { layout.hash = hash }
        done(result)
      }
    }
  }

  /// A Service Changed indication: the first and the last handle of what has changed.
  func serviceDidChange(_ value: ArraySlice<UInt8>) {
    var reader = ByteReader(value, layer: "GATT Service Changed")
    guard let first = try? reader.attributeHandle("Start of Affected Attribute Handle Range"),
      let last = try? reader.attributeHandle("End of Affected Attribute Handle Range"), first <= last, reader.isAtEnd
    else { return log.log(.debug, "ignored a Service Changed indication that makes no sense") }
    didChange(max(first, .first)...max(last, .first))
  }

  /// Acts on a change at once, or, where the one before it is recent, with those that come until its pause is over.
  ///
  /// - Returns: whether it was at once.
  @discardableResult
  private func didChange(_ handles: ClosedRange<AttributeHandle>) -> Bool {
    guard let pause = changePace.add(handles, at: loop.now) else {
      invalidate(handles)
      return true
    }
    if changeTimer == nil {
      changeTimer = loop.schedule(after: pause, .work) { [weak self] in
        guard let self else { return }
        self.changeTimer = nil
        if let gathered = self.changePace.take(at: self.loop.now) { self.invalidate(gathered) }
      }
    }
    return false
  }

  /// Forgets what lies in a range and tells everybody.
  private func invalidate(_ handles: ClosedRange<AttributeHandle>) {
    layout.forget(handles)
    // The hash is another one now: the next discovery takes it.
    hasPrepared = false
    for handle in subscriptions.keys where handles.contains(handle) { subscriptions[handle] = nil }
    observers.removeAll { $0.events == nil }
    for observer in observers { observer.events?.database(self, didInvalidateServicesIn: handles) }
  }
}
