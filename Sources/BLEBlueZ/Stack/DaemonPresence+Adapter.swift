import BLEAdapter
import BLECore
import BLETransports

// Which of the daemon's adapters is used, and what Core Bluetooth calls its state.

extension DaemonPresence {
  func adaptersDidChange() {
    guard daemon == .present else { return }
    let before = adapter?.path
    let chosen = choose()
    if let before, before != chosen?.path {
      // What was done on the other has ended.
      adapter = nil
      adapterIsLost()
      if reported == .poweredOn { tell(.resetting) }
    }
    adapter = chosen
    report()
  }

  /// One that is pulled out, or whose daemon ends, is often told to be switched off first: that it was on since it came is what counts.
  func adapterIsLost() {
    if isUsed { stack.counters.resets += 1 }
    isUsed = false
  }

  /// The one in use stays in use as long as it is there.
  private func choose() -> AdapterObject? {
    let adapters = stack.mirror.adapters
    if let selector {
      return adapters.values.first { $0.path == "\(BlueZName.root)/\(selector)" }
        ?? adapters.values.first { $0.address.map { "\($0)" } == selector }
    }
    if let adapter, let present = adapters[adapter.path] { return present }
    let sorted = adapters.values.sorted { ($0.path.utf8.count, $0.path) < ($1.path.utf8.count, $1.path) }
    return sorted.first { $0.isPowered } ?? sorted.first
  }

  /// Works the state out, from the daemon first and from the adapter second, and reports it to the roles where it is new. An adapter that
  /// ran before and was removed counts as switched off, so that programs wait for it; one that was never there is `unsupported`.
  func report() {
    let missing: AdapterState = hasRun ? .resetting : .unsupported
    let state: AdapterState
    switch daemon {
    case .denied: state = .unauthorized
    case .absent: state = missing
    // On the way nothing is news yet.
    case .loading: state = reported
    case .present:
      if let adapter {
        state = adapter.isPowered ? .poweredOn : .poweredOff
      } else if arrival != nil {
        state = reported
      } else {
        state = hasRun ? .poweredOff : .unsupported
      }
    }
    if state == .poweredOn {
      hasRun = true
      isUsed = true
    }
    if state == reported { return }
    if adapter == nil, daemon == .present {
      let known = stack.mirror.adapters.values.map { String($0.path.split(separator: "/").last ?? "") }.sorted()
      let others = known.isEmpty ? "it has none" : "it has \(known.joined(separator: ", "))"
      stack.log.log(
        hasRun ? .warning : .error, "the Bluetooth daemon has no adapter \(selector ?? "to use"): \(others)")
    }
    if state == .poweredOff, let adapter { tellWhyOff(adapter) }
    tell(state)
  }

  /// Says why the adapter is off, as far as that can be seen, and what to type.
  private func tellWhyOff(_ adapter: AdapterObject) {
    let name = String(adapter.path.split(separator: "/").last ?? "")
    if let blockage = RadioSwitch.blockage(of: name, among: stack.switches()) {
      stack.log.log(.error, "\(name): \(blockage)")
    } else {
      // A daemon that has been started again has it off for a moment.
      stack.log.log(hasRun ? .info : .notice, "\(name) is switched off: bluetoothctl power on")
    }
  }

  private func tell(_ state: AdapterState) {
    reported = state
    stack.stateDidChange(state)
  }
}
