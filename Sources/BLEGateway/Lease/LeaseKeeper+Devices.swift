import BLESession

/// Which devices are followed. Their number is bounded.
extension LeaseKeeper {
  /// An entry for a device that was heard for the first time; `nil` if there is no room, or the name is not valid.
  func follow(_ device: String, _ now: Duration) -> LeaseEntry? {
    guard GatewayInstance.isName(device) else { return nil }
    if order.count >= rules.mostDevices, !makeRoom(now) {
      if !isCrowded { actions.append(.report(.tooManyDevices)) }
      isCrowded = true
      return nil
    }
    isCrowded = false
    let entry = LeaseEntry(device: device, at: now, rules: rules)
    devices[device] = entry
    order.append(entry)
    actions.append(.follow(.lease(device: device)))
    return entry
  }

  /// Forgets the device that was not heard for the longest time, if it was not heard of late.
  private func makeRoom(_ now: Duration) -> Bool {
    let idle = order.filter { $0.role == .watching && now - ($0.heardAt ?? .zero) > rules.audible }
    guard let oldest = idle.min(by: { $0.heardAt ?? .zero < $1.heardAt ?? .zero }) else { return false }
    forget(oldest)
    return true
  }

  func forget(_ entry: LeaseEntry) {
    devices[entry.device] = nil
    if let index = order.firstIndex(where: { $0 === entry }) {
      order.swapAt(index, order.count - 1)
      order.removeLast()
    }
    actions.append(.unfollow(.lease(device: entry.device)))
    guard let known = entry.known else { return }
    // One that is far ahead was made up by another: others than its device are not to suffer.
    if known.epoch - rules.firstEpoch < 1 << 32 { forgottenEpoch = max(forgottenEpoch, known.epoch) }
    stopListening(to: known.holder.gateway)
  }
}
