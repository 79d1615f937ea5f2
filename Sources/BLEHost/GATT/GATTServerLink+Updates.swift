import BLECore
import BLEWire

extension GATTServerLink {
  /// What the client wants of the characteristic whose value has this handle.
  public func configuration(of handle: AttributeHandle) -> ClientConfiguration { configurations[handle] ?? [] }

  /// What the client wants of the characteristic, as far as the link is protected well enough for its values now.
  private func open(_ handle: AttributeHandle) -> ClientConfiguration {
    if !subscriptionRequirements.isEmpty, subscriptionRequirements[handle]?.refusal(of: security) != nil { return [] }
    return configurations[handle] ?? []
  }

  /// Sends a value to the client where it is subscribed: as a notification where it wants those, otherwise as an
  /// indication. What the MTU does not allow is cut.
  ///
  /// - Parameter sent: called once and never inside this call: when the notification has left, when the indication was
  ///   confirmed, or when the link has ended before.
  /// - Returns: false where the client is not subscribed; `sent` is not called then.
  @discardableResult
  public func update(
    _ handle: AttributeHandle, _ value: ArraySlice<UInt8>, sent: (() -> Void)? = nil
  ) -> Bool {
    if open(handle).contains(.notification) { return notify(handle, value, sent: sent) }
    return indicate(handle, value) { _ in sent?() }
  }

  /// Sends a notification where the client wants those; otherwise false. `sent`: as in `update`.
  @discardableResult
  public func notify(_ handle: AttributeHandle, _ value: ArraySlice<UInt8>, sent: (() -> Void)? = nil) -> Bool {
    guard bearer.isOpen, open(handle).contains(.notification) else { return false }
    if mustHoldBack { return heldBack.append(.notification(handle, value, sent: sent)) }
    bearer.notify(handle, value, sent: sent)
    return true
  }

  /// Sends an indication where the client wants those; otherwise false, and `completion` is not called. It is called with
  /// true when the client has confirmed, with false when the link has ended before.
  @discardableResult
  public func indicate(
    _ handle: AttributeHandle, _ value: ArraySlice<UInt8>, _ completion: ((Bool) -> Void)? = nil
  ) -> Bool {
    guard bearer.isOpen, open(handle).contains(.indication) else { return false }
    if mustHoldBack { return heldBack.append(.indication(handle, value, completion: completion)) }
    bearer.indicate(handle, value, completion)
    return true
  }

  /// A client with robust caching is told nothing while it does not know the database: the handles could mean something else
  /// to it (Core, Vol 3 Part G 2.5.2.1).
  private var mustHoldBack: Bool { supportedFeatures.contains(.robustCaching) && !awareness.isAware }

  /// Sends what was held back, if the client knows the database now.
  func sendHeldBack() {
    if mustHoldBack { return }
    for update in heldBack.takeAll() { update.send(on: self) }
  }

  /// Sends several values. A client that understands it gets those that it wants notified in as few PDUs as possible.
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
      guard open(handle).contains(.notification) else {
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
    // While one indication is out, what changes further is gathered: a client is not flooded.
    if let gathered = changes.gathered {
      let first = min(gathered.lowerBound, handles.lowerBound)
      changes.gathered = first...max(gathered.upperBound, handles.upperBound)
    } else {
      changes.gathered = handles
    }
    if !changes.isOut { indicateChanges(serviceChanged) }
  }

  private func indicateChanges(_ serviceChanged: AttributeHandle) {
    guard let handles = changes.gathered else { return }
    changes.gathered = nil
    changes.isOut = true
    var value = ByteWriter(capacity: 4)
    value.append(handles.lowerBound)
    value.append(handles.upperBound)
    bearer.indicate(serviceChanged, value.octets[...]) { [self] isConfirmed in
      changes.isOut = false
      guard isConfirmed else { return }
      if changes.gathered != nil { return indicateChanges(serviceChanged) }
      awareness.didConfirmChange()
      sendHeldBack()
      stateDidChange?(state)
    }
  }
}

/// Changes of the database on their way to a client.
struct ServiceChanges {
  /// An indication waits for its confirmation.
  var isOut = false
  /// What has changed since.
  var gathered: ClosedRange<AttributeHandle>?
}
