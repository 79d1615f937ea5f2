import BLEAdapter
import BLECore

// Changes of the device's object.

extension DeviceLink {
  func deviceDidChange(_ device: DeviceObject, _ changes: DeviceChanges) {
    if self.device == nil, phase == .searching {
      phase = .idle
      stack.searchDidChange()
      return update()
    }
    guard self.device === device || self.device == nil else { return }
    if changes.contains(.connection) { device.isConnected ? connected() : disconnected() }
    if changes.contains(.resolution), self.device === device { resolved(device.areServicesResolved) }
    if changes.contains(.name), let name = device.name {
      for user in users where !user.isOver { user.events?.link(user, didUpdateName: name) }
    }
  }

  private func connected() {
    switch phase {
    case .connecting: if device?.areServicesResolved == true { becomeUp() }
    case .settling: becomeUp()
    // Another program has connected the device.
    case .waitingToRetry:
      stopTimer()
      phase = .idle
      update()
    default: break
    }
  }

  private func disconnected() {
    switch phase {
    case .up: ended(EndReason(endOfLink: reason))
    case .closing: ended()
    case .settling: retryLater()
    default: break
    }
  }

  private func resolved(_ isResolved: Bool) {
    switch phase {
    case .up:
      announcement?.cancel()
      if isResolved { awaitAttributes() } else { operations.setReady(false) }
    // A daemon that has resolved the services is connected, even if it does not signal that.
    case .connecting, .settling:
      guard isResolved else { return }
      if device?.isConnected == true { becomeUp() } else { look() }
    default: break
    }
  }

  func deviceWasRemoved(_ device: DeviceObject) {
    guard self.device === device else { return }
    switch phase {
    case .up: ended(EndReason(endOfLink: reason))
    case .closing: ended()
    case .connecting, .settling:
      // The daemon may never answer the call.
      call?.cancel()
      call = nil
      self.device = nil
      retryLater()
    default: self.device = nil
    }
  }

  func willDisconnect(_ reason: String) { self.reason = reason }

  /// The peer has another address from now on.
  func rename(_ peer: KnownPeer) { self.peer = peer }

  func transmissionUnitDidChange() {
    for user in users where !user.isOver {
      user.events?.link(user, didUpdateMaximumTransmissionUnit: maximumTransmissionUnit)
    }
  }

  /// Called when services were added or removed. Changes within a short time are reported as one.
  func servicesDidChange(in handles: ClosedRange<AttributeHandle>) {
    guard phase == .up, operations.isReady else { return }
    let isFirst = changed == nil
    changed =
      changed.map {
        min($0.lowerBound, handles.lowerBound)...max($0.upperBound, handles.upperBound)
      } ?? handles
    guard isFirst else { return }
    stack.loop.schedule(after: Self.changeDelay, .work) { [weak self] in self?.reportChange() }
  }

  private static let changeDelay = StackDuration.milliseconds(100)

  private func reportChange() {
    guard phase == .up, let handles = changed else { return }
    changed = nil
    for handle in subscriptions.keys where handles.contains(handle) {
      if device?.attributes.characteristic(withValue: handle) == nil { subscriptions[handle] = nil }
    }
    followTransmissionUnit()
    for user in users where !user.isOver { user.events?.link(user, didInvalidateServicesIn: handles) }
  }
}
