import BLEAdapter
import BLECore
import BLEHCI
import BLEWire

/// Whether the controller scans, and whether a command to start or stop is under way.
struct ScanSwitch {
  var isOn = false
  var isChanging = false
  /// The state that the last command requested.
  var goal = false
  /// Paused while connections have their turn; see `SearchTurns`.
  var isPaused = false
  /// Whether it scans, or is starting to, with the background's interval and window.
  var isSlow = false
  /// Whether it has to be restarted because it no longer reports anything.
  var mustRestart = false
}

extension HostStack {
  /// Starts or stops the controller's scan as the scanner requires. One change at a time.
  func updateScan() {
    updateScanCare()
    arrangeTurns()
    guard isRunning, !scanSwitch.isChanging else { return }
    let isWanted = wantsScan && !scanSwitch.isPaused
    let turnsOn = !scanSwitch.isOn
    // Another interval and window take effect by a restart.
    if turnsOn ? !isWanted : isWanted && scanSwitch.isSlow == isInBackground && !scanSwitch.mustRestart { return }
    scanSwitch.mustRestart = false
    scanSwitch.isChanging = true
    scanSwitch.goal = turnsOn
    if turnsOn { scanSwitch.isSlow = isInBackground }
    let completion: (HCIErrorCode) -> Void = { [weak self] status in self?.scanChanged(turnsOn, status) }
    if controller.usesExtendedCommands {
      turnsOn ? startExtendedScan(completion) : stopExtendedScan(completion)
    } else {
      turnsOn ? startLegacyScan(completion) : stopLegacyScan(completion)
    }
  }

  private func scanChanged(_ turnedOn: Bool, _ status: HCIErrorCode) {
    scanSwitch.isChanging = false
    if turnedOn, mustTakeTurns(status) { return takeTurns() }
    // A refused change counts as done: repeating it immediately could continue forever.
    scanSwitch.isOn = turnedOn
    if !status.isSuccess {
      log.log(.warning, "the controller refused to \(turnedOn ? "start" : "stop") scanning: \(status)")
    }
    updateScan()
  }

  private var scanPace: (interval: ScanInterval, window: ScanInterval) {
    scanSwitch.isSlow
      ? (LinkPolicy.backgroundScanInterval, LinkPolicy.backgroundScanWindow)
      : (LinkPolicy.scanInterval, LinkPolicy.scanWindow)
  }

  /// The PHYs on which to search: the requested ones, as far as the controller supports them.
  var searchPHYs: LEPHYSet {
    guard canSearchCoded else { return .le1M }
    return switch options.searchPHYs {
    case .le1M: .le1M
    case .leCoded: .leCoded
    case .both: [.le1M, .leCoded]
    }
  }

  var canSearchCoded: Bool { controller.usesExtendedCommands && controller.features?.supportsCodedPHY == true }

  /// One entry for each PHY on which to search. Two share the time of one: each pauses during the other's window.
  func searchEntries<Entry>(
    interval: ScanInterval, window: ScanInterval, _ make: (_ interval: ScanInterval, _ window: ScanInterval) -> Entry
  ) -> [Entry] {
    let count = UInt16(searchPHYs.rawValue.nonzeroBitCount)
    let entry = make(ScanInterval(rawValue: interval.rawValue * count), window)
    return Array(repeating: entry, count: Int(count))
  }

  // The controller's duplicate filter stays off: it filters by address, and would hide new content of a known device.

  private func startExtendedScan(_ completion: @escaping (HCIErrorCode) -> Void) {
    controller.send(
      LESetExtendedScanParameters(
        ownAddressType: ownAddressType, filterPolicy: .all, phys: searchPHYs,
        entries: searchEntries(interval: scanPace.interval, window: scanPace.window) {
          .init(type: .active, interval: $0, window: $1)
        }))
    controller.send(
      LESetExtendedScanEnable(
        isEnabled: true, duplicates: .reportAll, duration: HCICentiseconds(rawValue: 0), period: 0),
      status: completion)
  }

  private func stopExtendedScan(_ completion: @escaping (HCIErrorCode) -> Void) {
    controller.send(
      LESetExtendedScanEnable(
        isEnabled: false, duplicates: .reportAll, duration: HCICentiseconds(rawValue: 0), period: 0),
      status: completion)
  }

  /// Resumes the scan with its parameters, or pauses it.
  func sendScanEnable(_ isEnabled: Bool) {
    if controller.usesExtendedCommands {
      controller.send(
        LESetExtendedScanEnable(
          isEnabled: isEnabled, duplicates: .reportAll, duration: HCICentiseconds(rawValue: 0), period: 0))
    } else {
      controller.send(LESetScanEnable(isEnabled: isEnabled, filtersDuplicates: false))
    }
  }

  private func startLegacyScan(_ completion: @escaping (HCIErrorCode) -> Void) {
    controller.send(
      LESetScanParameters(
        type: .active, interval: scanPace.interval, window: scanPace.window,
        ownAddressType: ownAddressType, filterPolicy: .all))
    controller.send(LESetScanEnable(isEnabled: true, filtersDuplicates: false), status: completion)
  }

  private func stopLegacyScan(_ completion: @escaping (HCIErrorCode) -> Void) {
    controller.send(LESetScanEnable(isEnabled: false, filtersDuplicates: false), status: completion)
  }
}
