import BLEAdapter
import BLECore

/// One scan of the controller that serves all centrals of the process.
///
/// In the steady state a report costs one lookup of the device and, for each scanning central, one comparison: unchanged octets are not
/// parsed again, and nothing is allocated.
final class Scanner {
  private var devices: ScannedDevices
  private var scans: [(role: ObjectIdentifier, scan: Scan)] = []
  private var assembler = ReportAssembler()
  /// Called when the first scan begins and when the last one ends.
  var isWantedChanged: ((Bool) -> Void)?
  /// The number of reports since the start.
  private(set) var reportCount = 0
  private var isInBackground = false

  init(directory: PeerDirectory, deviceLimit: Int) {
    devices = ScannedDevices(directory: directory, limit: deviceLimit)
  }

  /// Whether any scan can report devices.
  private(set) var isWanted = false
  var deviceCount: Int { devices.count }
  /// The number of reports of devices that had been heard before, since the start.
  var repetitionCount: Int { devices.repetitionCount }
  var droppedCount: Int { assembler.droppedCount }

  /// Begins a scan of `role`, or replaces the one before: all devices are reported again.
  func start(_ parameters: ScanParameters, role: ObjectIdentifier, events: any CentralEvents) {
    let scan = Scan(parameters, events: events)
    scan.isInBackground = isInBackground
    if let index = scans.firstIndex(where: { $0.role == role }) {
      scans[index].scan = scan
    } else {
      scans.append((role, scan))
    }
    collectOverflowServices()
    decideWhetherWanted()
  }

  /// Called when the program enters or leaves the background; see `Scan.isInBackground`.
  func setInBackground(_ isInBackground: Bool) {
    self.isInBackground = isInBackground
    for (_, scan) in scans { scan.isInBackground = isInBackground }
    decideWhetherWanted()
  }

  private func decideWhetherWanted() {
    let wasWanted = isWanted
    isWanted = scans.contains { $0.scan.isHeard }
    if isWanted != wasWanted { isWantedChanged?(isWanted) }
  }

  func stop(role: ObjectIdentifier) {
    guard let index = scans.firstIndex(where: { $0.role == role }) else { return }
    scans.remove(at: index)
    collectOverflowServices()
    decideWhetherWanted()
  }

  /// Called when the controller is gone: ends every scan and removes all devices.
  func reset() {
    scans = []
    isWanted = false
    devices.removeAll()
    assembler.removeAll()
  }

  /// The last content of the device; `nil` if it was not heard.
  func content(of address: DeviceAddress) -> AdvertisementContent? { devices[address]?.content }

  /// Sets a name that was read from the device.
  func setName(_ name: String, at address: DeviceAddress) { devices[address]?.name = name }

  /// A part of an extended advertisement; legacy reports are always whole.
  func receive(part report: AdvertisingReport, set: UInt8, _ status: ReportAssembler.Status) {
    guard let whole = assembler.add(report, set: set, status) else { return }
    receive(whole)
  }

  func receive(_ report: AdvertisingReport) {
    reportCount &+= 1
    guard isWanted, let device = devices.update(report) else { return }
    // By index: a central may stop or start scans inside its callback.
    var index = 0
    while index < scans.count {
      let scan = scans[index].scan
      index += 1
      guard scan.take(device), let events = scan.events else { continue }
      events.central(
        didDiscover: DiscoveryEvent(
          peer: device.peer.identifier, address: device.peer.address, name: device.name, content: device.content,
          rssi: report.rssi))
    }
  }

  private func collectOverflowServices() {
    var wanted: [BLEUUID] = []
    for (_, scan) in scans {
      for service in scan.wantedServices where !wanted.contains(service) { wanted.append(service) }
    }
    devices.setOverflowServices(wanted)
  }
}

extension Scanner {
  /// The services that `role` scans for, empty for all devices; `nil` if it does not scan.
  func sought(by role: ObjectIdentifier) -> [BLEUUID]? {
    scans.first { $0.role == role }.map { $0.scan.parameters.services ?? [] }
  }
}
