import BLEAdapter
import BLECore
import BLEHCI
import BLEWire

/// Whether the controller scans, and whether it is just being told to start or stop.
struct ScanSwitch {
  var isOn = false
  var isChanging = false
  /// What the controller was told last.
  var goal = false
  /// It is the turn of connections; see `SearchTurns`.
  var isPaused = false
  /// Whether it scans, or is told to, at the background's pace.
  var isSlow = false
  /// It says that it scans, and reports nothing.
  var mustBeginAgain = false
}

extension HostStack {
  /// Brings the controller's scan to what the scanner wants. One change at a time.
  func updateScan() {
    updateScanCare()
    arrangeTurns()
    guard isRunning, !scanSwitch.isChanging else { return }
    let isWanted = wantsScan && !scanSwitch.isPaused
    let turnsOn = !scanSwitch.isOn
    // Another pace is had by beginning again.
    if turnsOn ? !isWanted : isWanted && scanSwitch.isSlow == isInBackground && !scanSwitch.mustBeginAgain { return }
    scanSwitch.mustBeginAgain = false
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
    // What was refused is taken as done: asking again at once would go on for ever.
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

  /// The PHYs on which devices are looked for: what was asked for, as far as the controller has it.
  var searchPHYs: LEPHYSet {
    guard canSearchCoded else { return .le1M }
    return switch options.searchPHYs {
    case .le1M: .le1M
    case .leCoded: .leCoded
    case .both: [.le1M, .leCoded]
    }
  }

  var canSearchCoded: Bool { controller.usesExtendedCommands && controller.features?.supportsCodedPHY == true }

  /// One entry for each PHY on which devices are looked for. Two have the time of one: each pauses while it is the other's turn.
  func searchEntries<Entry>(
    interval: ScanInterval, window: ScanInterval, _ make: (_ interval: ScanInterval, _ window: ScanInterval) -> Entry
  ) -> [Entry] {
    let count = UInt16(searchPHYs.rawValue.nonzeroBitCount)
    let entry = make(ScanInterval(rawValue: interval.rawValue * count), window)
    return Array(repeating: entry, count: Int(count))
  }

  // The duplicate filter of the controller stays off: it goes by address, and would hide new content of a known device.

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

  /// Goes on with the scan that was set up, or pauses it.
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
