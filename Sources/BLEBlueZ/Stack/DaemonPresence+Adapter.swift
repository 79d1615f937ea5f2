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
      // What was in progress on the former adapter has ended.
      adapter = nil
      adapterIsLost()
      if reported == .poweredOn { setReported(.resetting) }
    }
    adapter = chosen
    report()
  }

  /// An adapter that is removed, or whose daemon ends, is often reported as powered off first: so what counts is whether it was powered on
  /// since it appeared.
  func adapterIsLost() {
    if isUsed { stack?.counters.resets += 1 }
    isUsed = false
  }

  /// The adapter in use is kept as long as it exists.
  private func choose() -> AdapterObject? {
    let adapters = mirror.adapters
    if let selector {
      return adapters.values.first { $0.path == "\(BlueZName.root)/\(selector)" }
        ?? adapters.values.first { $0.address.map { "\($0)" } == selector }
    }
    if let adapter, let present = adapters[adapter.path] { return present }
    let sorted = adapters.values.sorted { ($0.path.utf8.count, $0.path) < ($1.path.utf8.count, $1.path) }
    return sorted.first { $0.isPowered } ?? sorted.first
  }

  /// Derives the state, from the daemon first and from the adapter second, and reports it to the roles where it has changed. An adapter
  /// that was in use and is removed counts as powered off, so that programs wait for it; without one from the start the state is `unsupported`.
  func report() {
    let missing: AdapterState = hasRun ? .resetting : .unsupported
    let state: AdapterState
    switch daemon {
    case .denied: state = .unauthorized
    case .absent: state = missing
    // The state does not change while the objects are being read.
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
      let known = mirror.adapters.values.map { String($0.path.split(separator: "/").last ?? "") }.sorted()
      let others = known.isEmpty ? "it has none" : "it has \(known.joined(separator: ", "))"
      log.log(
        hasRun ? .warning : .error, "the Bluetooth daemon has no adapter \(selector ?? "to use"): \(others)")
    }
    if state == .poweredOff, let adapter { logWhyOff(adapter) }
    setReported(state)
  }

  /// Logs why the adapter is off, as far as that is known, and the command that helps.
  private func logWhyOff(_ adapter: AdapterObject) {
    let name = String(adapter.path.split(separator: "/").last ?? "")
    if let blockage = RadioSwitch.blockage(of: name, among: stack?.switches() ?? []) {
      log.log(.error, "\(name): \(blockage)")
    } else {
      // After a restart of the daemon the adapter is off for a moment.
      log.log(hasRun ? .info : .notice, "\(name) is switched off: bluetoothctl power on")
    }
  }

  private func setReported(_ state: AdapterState) {
    reported = state
    stack?.stateDidChange(state)
  }
}
