import BLECore

/// What watches over the controller's scan, as long as one is wanted.
struct ScanCare {
  var watch = ScanWatch(heard: 0, repeated: 0)
  /// Running while a scan is wanted: an idle host has no timer for this.
  var timer: TimerToken?
  /// How often a scan that heard nothing any more was begun again.
  var restartCount = 0
}

extension HostStack {
  /// Begins or ends to watch with the scan.
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
    // One that takes turns with connections is begun again all the time.
    guard isDeaf, scanSwitch.isOn, !scanSwitch.isChanging else { return }
    scanCare.restartCount += 1
    log.log(.notice, "the scan is begun again: \(scanCare.watch.reason)")
    scanSwitch.mustBeginAgain = true
    updateScan()
  }
}
