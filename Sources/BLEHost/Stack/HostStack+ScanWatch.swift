import BLECore

/// Watches the controller's scan while one is wanted.
struct ScanCare {
  var watch = ScanWatch(heard: 0, repeated: 0)
  /// Set while a scan is wanted: an idle host has no timer for this.
  var timer: TimerToken?
  /// How often a silent scan was restarted.
  var restartCount = 0
}

extension HostStack {
  /// Starts or stops watching with the scan.
  func updateScanCare() {
    let isWatched = isRunning && wantsScan
    if isWatched == (scanCare.timer != nil) { return }
    guard isWatched else { return endScanCare() }
    scanCare.watch = ScanWatch(heard: scanner.reportCount, repeated: scanner.repetitionCount)
    armScanCare()
  }

  func endScanCare() {
    if let timer = scanCare.timer { loop.cancel(timer) }
    scanCare.timer = nil
  }

  private func armScanCare() {
    scanCare.timer = loop.schedule(after: scanCare.watch.rule.interval, .background) { [weak self] in
      self?.lookAtScan()
    }
  }

  private func lookAtScan() {
    armScanCare()
    let isDeaf = scanCare.watch.look(
      heard: scanner.reportCount, repeated: scanner.repetitionCount, at: loop.now)
    // A scan that takes turns with connections is restarted regularly anyway.
    guard isDeaf, arbiter.isScanningSteadily else { return }
    scanCare.restartCount += 1
    log.log(.notice, "the scan is restarted: \(scanCare.watch.reason)")
    arbiterInput(.scanIsSilent)
  }
}
