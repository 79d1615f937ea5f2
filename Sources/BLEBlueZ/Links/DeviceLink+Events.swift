import BLEAdapter
import BLECore

// What the daemon shows of the device.

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
    // Somebody else has connected it: the daemon now says so.
    case .resting:
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
    case .settling: rest()
    default: break
    }
  }

  private func resolved(_ isResolved: Bool) {
    // A daemon that has found the services has connected, also where it does not say so.
    if phase == .connecting || phase == .settling, isResolved {
      if device?.isConnected == true { becomeUp() } else { look() }
    }
    if phase == .up { operations.setReady(isResolved) }
  }

  func deviceWasRemoved(_ device: DeviceObject) {
    guard self.device === device else { return }
    switch phase {
    case .up: ended(EndReason(endOfLink: reason))
    case .closing: ended()
    case .connecting, .settling:
      // Perhaps there is no answer any more.
      call?.cancel()
      call = nil
      self.device = nil
      rest()
    default: self.device = nil
    }
  }

  func willDisconnect(_ reason: String) { self.reason = reason }

  /// Known by another address from now on.
  func rename(_ peer: KnownPeer) { self.peer = peer }

  func transmissionUnitDidChange() {
    for user in users where !user.isOver {
      user.events?.link(user, didUpdateMaximumTransmissionUnit: maximumTransmissionUnit)
    }
  }

  /// Services were added or removed. What comes together is told together.
  func servicesDidChange(in handles: ClosedRange<AttributeHandle>) {
    guard phase == .up, device?.areServicesResolved == true else { return }
    let isFirst = changed == nil
    changed =
      changed.map {
        min($0.lowerBound, handles.lowerBound)...max($0.upperBound, handles.upperBound)
      } ?? handles
    guard isFirst else { return }
    stack.loop.schedule(after: Self.changeDelay, .work) { [weak self] in self?.tellOfChange() }
  }

  private static let changeDelay = StackDuration.milliseconds(100)

  private func tellOfChange() {
    guard phase == .up, let handles = changed else { return }
    changed = nil
    for handle in subscriptions.keys where handles.contains(handle) {
      if device?.attributes.characteristic(withValue: handle) == nil { subscriptions[handle] = nil }
    }
    for user in users where !user.isOver { user.events?.link(user, didInvalidateServicesIn: handles) }
  }
}
