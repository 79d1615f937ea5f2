import BLECore
import BLEWire

/// Scanning by the legacy and extended commands, and the reports.
extension VirtualController {
  static func addScanCommands(to table: inout CommandTable) {
    table.action(LESetScanParameters.self) { controller, command in
      try controller.require(.legacy)
      guard controller.scanner == nil else { throw HCIErrorCode.commandDisallowed }
      guard isValid(command.interval, command.window, limit: 0x4000), command.type.rawValue <= 1,
        command.ownAddressType.rawValue <= 3, command.filterPolicy.rawValue <= 3
      else { throw HCIErrorCode.invalidParameters }
      controller.host.scanSettings = LinkLayerScanner.Settings(
        isActive: command.type == .active, ownAddressType: command.ownAddressType,
        filterPolicy: command.filterPolicy, filtersDuplicates: false, isExtended: false,
        windows: [.le1M: controller.window(command.interval, command.window)])
    }
    table.action(LESetScanEnable.self) { controller, command in
      try controller.require(.legacy)
      guard command.isEnabled else {
        controller.stopScanning()
        return
      }
      var settings = controller.host.scanSettings ?? controller.defaultScanSettings
      settings.filtersDuplicates = command.filtersDuplicates
      try controller.startScanning(settings)
    }
    table.action(LESetExtendedScanParameters.self) { controller, command in
      try controller.require(.extended)
      guard controller.scanner == nil else { throw HCIErrorCode.commandDisallowed }
      guard command.ownAddressType.rawValue <= 3, command.filterPolicy.rawValue <= 3, !command.phys.isEmpty,
        command.phys.isSubset(of: [.le1M, .leCoded]), command.entries.count == command.phys.rawValue.nonzeroBitCount,
        command.entries.allSatisfy({ isValid($0.interval, $0.window, limit: 0xFFFF) && $0.type.rawValue <= 1 })
      else { throw HCIErrorCode.invalidParameters }
      let phys: [LEPHY] = [.le1M, .leCoded].filter { command.phys.rawValue & Connection.bit($0) != 0 }
      var windows: [LEPHY: ListeningWindow] = [:]
      for (phy, entry) in zip(phys, command.entries) { windows[phy] = controller.window(entry.interval, entry.window) }
      controller.host.scanSettings = LinkLayerScanner.Settings(
        isActive: command.entries.contains { $0.type == .active }, ownAddressType: command.ownAddressType,
        filterPolicy: command.filterPolicy, filtersDuplicates: false, isExtended: true, windows: windows)
    }
    table.action(LESetExtendedScanEnable.self) { controller, command in
      try controller.require(.extended)
      guard command.isEnabled else {
        controller.stopScanning()
        return
      }
      guard command.duplicates.rawValue <= 2 else { throw HCIErrorCode.invalidParameters }
      let period = StackDuration.milliseconds(Int64(command.period) * 1_280)
      if command.period > 0, command.duration.rawValue > 0, command.duration.duration >= period {
        throw HCIErrorCode.invalidParameters
      }
      if command.duplicates == .filterEachPeriod, command.period == 0 || command.duration.rawValue == 0 {
        throw HCIErrorCode.invalidParameters
      }
      var settings = controller.host.scanSettings ?? controller.defaultScanSettings
      settings.isExtended = true
      settings.filtersDuplicates = command.duplicates != .reportAll
      settings.duration = command.duration.duration
      settings.period = command.duration.rawValue > 0 ? period : .zero
      try controller.startScanning(settings)
    }
  }

  private var defaultScanSettings: LinkLayerScanner.Settings {
    LinkLayerScanner.Settings(
      isActive: false, ownAddressType: .public, filterPolicy: .all, filtersDuplicates: false, isExtended: false,
      windows: [.le1M: window(ScanInterval(rawValue: 0x10), ScanInterval(rawValue: 0x10))])
  }

  static func isValid(_ interval: ScanInterval, _ window: ScanInterval, limit: UInt16) -> Bool {
    interval.rawValue >= 4 && interval.rawValue <= limit && window.rawValue >= 4 && window <= interval
  }

  func window(_ interval: ScanInterval, _ window: ScanInterval) -> ListeningWindow {
    ListeningWindow(begin: loop.now, interval: interval.duration, window: window.duration)
  }

  private func startScanning(_ settings: LinkLayerScanner.Settings) throws {
    if initiator != nil, configuration.quirks.contains(.scanExcludesInitiating) {
      throw HCIErrorCode.commandDisallowed
    }
    let address = try ownAddress(settings.ownAddressType, random: host.randomAddress)
    var settings = settings
    settings.windows = settings.windows.mapValues {
      ListeningWindow(begin: loop.now, interval: $0.interval, window: $0.window)
    }
    scanner?.stop()
    scanner = LinkLayerScanner(controller: self, address: address, settings: settings)
  }

  private func stopScanning() {
    scanner?.stop()
    scanner = nil
  }

  /// The duration of the scan has passed.
  func scanEnded() {
    stopScanning()
    emit(LEScanTimeoutEvent(), .scanTimeout)
  }

  // MARK: Reports

  func report(_ offer: AdvertisingOffer, data: [UInt8], isResponse: Bool, isExtended: Bool, signal: Int8) {
    if isExtended {
      reportExtended(offer, data: data, isResponse: isResponse, signal: signal)
    } else if let target = offer.target, !isOwn(target) {
      emit(
        LEDirectedAdvertisingReportEvent(reports: [
          .init(
            type: .directed, address: reportedAddress(of: offer),
            directAddress: HCIAddress(type: .random, value: target.value), rssi: signal)
        ]), .directedAdvertisingReport)
    } else {
      let type: LEAdvertisingReportType =
        isResponse
        ? .scanResponse
        : offer.target != nil
          ? .directed : offer.isConnectable ? .connectable : offer.isScannable ? .scannable : .nonConnectable
      emit(
        LEAdvertisingReportEvent(reports: [
          .init(type: type, address: reportedAddress(of: offer), data: data[...], rssi: signal)
        ]), .advertisingReport)
    }
  }

  /// The maximum length of the data in an extended report.
  private static let reportDataLimit = 229

  private func reportExtended(_ offer: AdvertisingOffer, data: [UInt8], isResponse: Bool, signal: Int8) {
    guard host.lowEnergyMask.contains(.extendedAdvertisingReport) else { return }
    let ownAddressType = scanner?.settings.ownAddressType ?? .public
    let target = offer.target.map { reported(target: $0, ownAddressType: ownAddressType) } ?? .none
    var type: LEExtendedReportType = []
    if offer.isConnectable { type.insert(.connectable) }
    if offer.isScannable { type.insert(.scannable) }
    if offer.target != nil { type.insert(.directed) }
    if isResponse { type.insert(.scanResponse) }
    if offer.isLegacy { type.insert(.legacy) }
    var rest = data[...]
    repeat {
      let part = rest.prefix(Self.reportDataLimit)
      rest = rest.dropFirst(Self.reportDataLimit)
      emit(
        LEExtendedAdvertisingReportEvent(
          reports: .init(
            .init(
              type: rest.isEmpty ? type : type.union(.incomplete), address: reportedAddress(of: offer),
              primaryPHY: offer.primaryPHY, secondaryPHY: offer.secondary?.phy ?? .none,
              setIdentifier: offer.secondary?.setIdentifier ?? 0xFF, transmitPower: offer.transmitPower, rssi: signal,
              periodicInterval: 0, directAddress: target, data: part))), .extendedAdvertisingReport)
    } while !rest.isEmpty
  }

  private func reportedAddress(of offer: AdvertisingOffer) -> HCIAddress {
    offer.advertiser.map { reported($0) } ?? HCIAddress(type: .anonymous, value: 0)
  }
}
