import BLEAdapter
import BLECore

/// One scan of the controller that serves all centrals of the process.
///
/// In the steady state a report costs one look-up of the device and, for each central that scans, one comparison: octets that
/// are the same as last time are not read again, and nothing is allocated.
final class Scanner {
  private var devices: ScannedDevices
  private var scans: [(role: ObjectIdentifier, scan: Scan)] = []
  private var assembler = ReportAssembler()
  /// Told when the first scan begins and when the last ends.
  var isWantedChanged: ((Bool) -> Void)?
  /// Reports taken in since the start.
  private(set) var reportCount = 0
  private var isInBackground = false

  init(directory: PeerDirectory, deviceLimit: Int) {
    devices = ScannedDevices(directory: directory, limit: deviceLimit)
  }

  /// Whether there is a scan that anything can come of.
  private(set) var isWanted = false
  var deviceCount: Int { devices.count }
  /// Reports of devices that had been heard before, since the start.
  var repetitionCount: Int { devices.repetitionCount }
  var droppedCount: Int { assembler.droppedCount }

  /// Begins a scan of `role`, or puts it in the place of the one before: nothing counts as told.
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

  /// The program goes into the background, or comes back; see `Scan.isInBackground`.
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

  /// The controller is gone: every scan has ended, and what devices said is forgotten.
  func reset() {
    scans = []
    isWanted = false
    devices.removeAll()
    assembler.removeAll()
  }

  /// What the device said last; `nil` where it was not heard.
  func content(of address: DeviceAddress) -> AdvertisementContent? { devices[address]?.content }

  /// The device's name was read from itself.
  func setName(_ name: String, at address: DeviceAddress) { devices[address]?.name = name }

  /// A part of an extended advertisement; legacy reports are always whole.
  func receive(part report: AdvertisingReport, set: UInt8, _ status: ReportAssembler.Status) {
    guard let whole = assembler.add(report, set: set, status) else { return }
    receive(whole)
  }

  func receive(_ report: AdvertisingReport) {
    reportCount &+= 1
    guard isWanted, let device = devices.update(report) else { return }
    // By index: a central that is told may stop or start scans.
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
  /// What `role` scans for, empty for everything; `nil` where it does not scan.
  func sought(by role: ObjectIdentifier) -> [BLEUUID]? {
    scans.first { $0.role == role }.map { $0.scan.parameters.services ?? [] }
  }
}
