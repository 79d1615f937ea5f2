import BLEAdapter
import BLECore
import BLEHCI
import BLEWire

extension HostStack {
  /// Moves the application to the background or the foreground, as an operating system does with apps. In the background, scans are
  /// slower, only for given services and without duplicates; advertising is slower, without the name, and with all services in the
  /// overflow area.
  public func setInBackground(_ isInBackground: Bool) {
    onLoop { stack in
      stack.isInBackground = isInBackground
      stack.scanner.setInBackground(isInBackground)
      stack.updateScan()
      stack.advertisingInput(.update)
    }
  }

  /// Gives the arbiter the present wishes: the controller's scan and initiating follow them.
  func updateScan() { arbiterInput(.wishesChanged) }

  var radioWishes: RadioArbiter.Wishes {
    RadioArbiter.Wishes(
      scans: wantsScan, isInBackground: isInBackground, connects: connector.isSearching,
      isInitiating: connector.isInitiating)
  }

  /// Gives the arbiter an input and performs its actions.
  func arbiterInput(_ input: RadioArbiter.Input) {
    arbiterInputs.add(input) {
      updateScanCare()
      guard isRunning else { return }
      for action in arbiter.handle($0, radioWishes) { perform(action) }
    }
  }

  private func perform(_ action: RadioArbiter.Action) {
    switch action {
    case .startScan(let isSlow): startScan(isSlow: isSlow)
    case .stopScan: sendScanEnable(false) { [weak self] in self?.arbiterInput(.scanAnswered($0)) }
    case .allowInitiating: connector.setPaused(false)
    case .pauseInitiating: connector.setPaused(true)
    case .postponeInitiation: connector.initiationPostponed()
    case .armTurnTimer:
      turnTimer = loop.schedule(after: RadioArbiter.turn, .background) { [weak self] in
        self?.turnTimer = nil
        self?.arbiterInput(.turnEnded)
      }
    case .cancelTurnTimer: cancelTurnTimer()
    case .reportTurns:
      log.log(.info, "the controller cannot scan and initiate at the same time: they take turns")
    case .reportRefusal(let status, let ofStart):
      log.log(.warning, "the controller refused to \(ofStart ? "start" : "stop") scanning: \(status)")
    }
  }

  /// The controller was lost or is stopped, and with it scan and turns.
  func resetArbiter() {
    cancelTurnTimer()
    arbiter = RadioArbiter()
  }

  private func cancelTurnTimer() {
    if let turnTimer { loop.cancel(turnTimer) }
    turnTimer = nil
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

  private func startScan(isSlow: Bool) {
    let interval = isSlow ? LinkPolicy.backgroundScanInterval : LinkPolicy.scanInterval
    let window = isSlow ? LinkPolicy.backgroundScanWindow : LinkPolicy.scanWindow
    if controller.usesExtendedCommands {
      controller.send(
        LESetExtendedScanParameters(
          ownAddressType: ownAddressType, filterPolicy: .all, phys: searchPHYs,
          entries: searchEntries(interval: interval, window: window) {
            .init(type: .active, interval: $0, window: $1)
          }))
    } else {
      controller.send(
        LESetScanParameters(
          type: .active, interval: interval, window: window, ownAddressType: ownAddressType, filterPolicy: .all))
    }
    sendScanEnable(true) { [weak self] in self?.arbiterInput(.scanAnswered($0)) }
  }

  /// Starts or stops the scan that is set up. The controller's duplicate filter stays off: it filters by address, and would hide new
  /// content of a known device.
  func sendScanEnable(_ isEnabled: Bool, _ completion: @escaping (HCIErrorCode) -> Void) {
    if controller.usesExtendedCommands {
      controller.send(
        LESetExtendedScanEnable(
          isEnabled: isEnabled, duplicates: .reportAll, duration: HCICentiseconds(rawValue: 0), period: 0),
        status: completion)
    } else {
      controller.send(LESetScanEnable(isEnabled: isEnabled, filtersDuplicates: false), status: completion)
    }
  }
}
