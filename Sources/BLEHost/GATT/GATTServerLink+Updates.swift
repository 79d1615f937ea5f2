import BLECore
import BLEWire

extension GATTServerLink {
  /// Returns the client's configuration of the characteristic with this value handle.
  public func configuration(of handle: AttributeHandle) -> ClientConfiguration { configurations[handle] ?? [] }

  /// Returns the client's configuration, or nothing if the link's current security is insufficient for the characteristic.
  private func permittedConfiguration(of handle: AttributeHandle) -> ClientConfiguration {
    if !subscriptionRequirements.isEmpty, subscriptionRequirements[handle]?.refusal(of: security) != nil { return [] }
    return configurations[handle] ?? []
  }

  /// Sends a value to a subscribed client: as a notification if it configured those, otherwise as an indication. The value is
  /// truncated to what the MTU allows.
  ///
  /// - Parameter sent: called once and never inside this call: when the notification has been sent, when the indication is
  ///   confirmed or withdrawn, or when the link ends before.
  /// - Returns: false if the client is not subscribed, or too many values are held back; `sent` is not called then.
  @discardableResult
  public func update(
    _ handle: AttributeHandle, _ value: ArraySlice<UInt8>, sent: (() -> Void)? = nil
  ) -> Bool {
    permittedConfiguration(of: handle).contains(.notification)
      ? notify(handle, value, sent: sent) : indicate(handle, value) { _ in sent?() }
  }

  /// Sends a notification. Returns false if the client is not subscribed to notifications. `sent`: as in `update`.
  @discardableResult
  public func notify(_ handle: AttributeHandle, _ value: ArraySlice<UInt8>, sent: (() -> Void)? = nil) -> Bool {
    guard bearer.isOpen, permittedConfiguration(of: handle).contains(.notification) else { return false }
    if mustHoldBack { return heldBack.append(.notification(handle, value, sent: sent)) }
    if let sent { notifications.append(sent) }
    bearer.notify(handle, value, sent: sent == nil ? nil : notificationLeft)
    return true
  }

  /// Sends an indication. Returns false, without calling `completion`, if the client is not subscribed to indications.
  /// `completion` is called with true when the client has confirmed, with false if its service is removed, the client unsubscribes
  /// or the link ends before.
  @discardableResult
  public func indicate(
    _ handle: AttributeHandle, _ value: ArraySlice<UInt8>, _ completion: ((Bool) -> Void)? = nil
  ) -> Bool {
    guard bearer.isOpen, permittedConfiguration(of: handle).contains(.indication) else { return false }
    if mustHoldBack { return heldBack.append(.indication(handle, value, completion: completion)) }
    bearer.indicate(handle, value, completion)
    return true
  }

  /// Whether updates must be held back: to a client with robust caching that is change-unaware, the handles could mean something
  /// else (Core, Vol 3 Part G 2.5.2.1).
  private var mustHoldBack: Bool { supportedFeatures.contains(.robustCaching) && !awareness.isAware }

  /// Sends the updates that were held back, if the client is change-aware now.
  func sendHeldBack() {
    if mustHoldBack { return }
    for update in heldBack.takeAll() { update.send(on: self) }
  }

  /// Sends several values: to a client that supports multiple notifications, the notified ones in as few PDUs as possible.
  public func update(_ values: [(handle: AttributeHandle, value: ArraySlice<UInt8>)]) {
    guard supportedFeatures.contains(.multipleNotifications), !mustHoldBack else {
      for (handle, value) in values { update(handle, value) }
      return
    }
    var tuples: [ATTMultipleHandleValueNotification.HandleValueTuple] = []
    var room = bearer.mtu - 1
    func flush() {
      if tuples.count == 1, let only = tuples.first {
        notify(only.attributeHandle, only.attributeValue)
      } else if !tuples.isEmpty {
        bearer.notify(tuples)
      }
      tuples = []
      room = bearer.mtu - 1
    }
    for (handle, value) in values {
      guard permittedConfiguration(of: handle).contains(.notification) else {
        update(handle, value)
        continue
      }
      if room < value.count + 4 { flush() }
      if room < value.count + 4 {
        notify(handle, value)
        continue
      }
      tuples.append(.init(attributeHandle: handle, attributeValue: value))
      room -= value.count + 4
    }
    flush()
  }

  // MARK: Changes of the database

  func databaseDidChange(in handles: ClosedRange<AttributeHandle>) {
    awareness.databaseDidChange()
    defer { stateDidChange?(state) }
    guard let serviceChanged = server.serviceChanged,
      configuration(of: serviceChanged).contains(.indication)
    else { return }
    // Changes while an indication is unconfirmed are merged, so that a client is not flooded.
    if let pending = changes.pending {
      let first = min(pending.lowerBound, handles.lowerBound)
      changes.pending = first...max(pending.upperBound, handles.upperBound)
    } else {
      changes.pending = handles
    }
    if !changes.isIndicating { indicateChanges(serviceChanged) }
  }

  private func indicateChanges(_ serviceChanged: AttributeHandle) {
    guard let handles = changes.pending else { return }
    changes.pending = nil
    changes.isIndicating = true
    var value = ByteWriter(capacity: 4)
    value.append(handles.lowerBound)
    value.append(handles.upperBound)
    bearer.indicate(serviceChanged, value.octets[...]) { [self] isConfirmed in
      changes.isIndicating = false
      guard isConfirmed else { return }
      if changes.pending != nil { return indicateChanges(serviceChanged) }
      awareness.didConfirmChange()
      sendHeldBack()
      stateDidChange?(state)
    }
  }
}

/// Changes of the database that are being indicated to a client.
struct ServiceChanges {
  /// Whether an indication waits for its confirmation.
  var isIndicating = false
  /// The changes since that indication, as one range.
  var pending: ClosedRange<AttributeHandle>?
}
