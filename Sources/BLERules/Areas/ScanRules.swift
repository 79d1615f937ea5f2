import BLEAdapter
import BLECore

/// Scanning, and identifiers.
struct ScanRules {
  private static let patience = StackDuration.seconds(30)

  private struct Scan {
    let event: ProgramEvent
    var isForAll: Bool { event.argument("services") == "all" }
    var wantsDuplicates: Bool { event.flag("kCBScanOptionAllowDuplicates") }
  }

  private var scans: [ProgramManager: Scan] = [:]
  private var connected: [ProgramManager: Set<PeerIdentifier>] = [:]

  mutating func see(_ event: ProgramEvent, _ scene: RuleScene, _ findings: inout RuleFindings) {
    if let peer = event.peer { scene.registry.note(peer, on: scene.device) }
    switch event.kind {
    case .call: call(event, scene, &findings)
    case .callback, .undelivered:
      switch event.name {
      case "centralManager(_:didConnect:)":
        if let peer = event.peer { connected[event.manager, default: []].insert(peer) }
        expectEnd(event, &findings)
      case "centralManager(_:didDisconnectPeripheral:error:)":
        if let peer = event.peer { connected[event.manager]?.remove(peer) }
        if connected[event.manager]?.isEmpty ?? true { findings.meet(.scanNeverStopped, event.manager) }
      default:
        if event.powersOn == false { forget(event.manager, &findings) }
      }
    default: return
    }
  }

  private mutating func call(_ event: ProgramEvent, _ scene: RuleScene, _ findings: inout RuleFindings) {
    switch event.name {
    case "scanForPeripherals(withServices:options:)":
      let scan = Scan(event: event)
      scans[event.manager] = scan
      if scene.isInBackground {
        judgeInBackground(scan, at: event.time, &findings)
      } else if scan.isForAll {
        findings.strike(.scanForAll, event, "scanForPeripherals(withServices: nil)")
      }
      expectEnd(event, &findings)
    case "stopScan()":
      scans[event.manager] = nil
      findings.meet(.scanNeverStopped, event.manager)
    case "deinit": forget(event.manager, &findings)
    case "retrievePeripherals(withIdentifiers:)":
      for text in (event.argument("identifiers") ?? "").split(separator: ", ") {
        guard let identifier = PeerIdentifier(uuid: text),
          let other = scene.registry.otherDevice(knowing: identifier, than: scene.device)
        else { continue }
        findings.strike(.foreignIdentifier, event, "the identifier \(text) is one of \(other)")
      }
    default: return
    }
  }

  mutating func enterBackground(at now: StackInstant, _ findings: inout RuleFindings) {
    for (_, scan) in scans.sorted(by: { $0.key.number < $1.key.number }) { judgeInBackground(scan, at: now, &findings) }
  }

  private func judgeInBackground(_ scan: Scan, at now: StackInstant, _ findings: inout RuleFindings) {
    let (manager, name) = (scan.event.manager, scan.event.name)
    if scan.isForAll {
      findings.strike(.backgroundScanForAll, at: now, manager, name) { "a scan for all services in the background" }
    }
    if scan.wantsDuplicates {
      findings.strike(.backgroundDuplicates, at: now, manager, name) {
        "a scan that asks for duplicates in the background"
      }
    }
  }

  private func expectEnd(_ event: ProgramEvent, _ findings: inout RuleFindings) {
    guard scans[event.manager] != nil, !(connected[event.manager]?.isEmpty ?? true) else { return }
    findings.expect(
      .scanNeverStopped, event, within: Self.patience, else: "the scan still runs 30 s after a connection was made")
  }

  private mutating func forget(_ manager: ProgramManager, _ findings: inout RuleFindings) {
    scans[manager] = nil
    connected[manager] = nil
    findings.meet(.scanNeverStopped, manager)
  }
}

extension PeerIdentifier {
  /// From the text of a UUID, as identifiers are shown.
  init?(uuid text: Substring) {
    let digits = text.filter { $0 != "-" }
    guard digits.utf8.count == 32, let high = UInt64(digits.prefix(16), radix: 16),
      let low = UInt64(digits.suffix(16), radix: 16)
    else { return nil }
    self.init(high: high, low: low)
  }
}
