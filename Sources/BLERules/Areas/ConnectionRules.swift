import BLEAdapter
import BLECore

/// Connections of centrals.
struct ConnectionRules {
  private static let patience = StackDuration.seconds(60)
  /// So many are reported to work on all phones.
  private static let linkLimit = 8

  private var connected: [PeerIdentifier: ProgramManager] = [:]
  /// Peers that were connected before: a connection to one that comes back later may be pending as long as it likes.
  private var met: Set<PeerIdentifier> = []

  mutating func see(_ event: ProgramEvent, _ scene: RuleScene, _ findings: inout RuleFindings) {
    switch (event.kind, event.name) {
    case (.call, "connect(_:options:)"):
      if event.argument("kCBConnectOptionStartDelay") != nil, event.flag("kCBConnectOptionEnableAutoReconnect") {
        findings.strike(
          .delayWithReconnection, event, "connect(_:options:) with a start delay and automatic reconnection")
      } else if let peer = event.peer, !met.contains(peer), !scene.isInBackground {
        findings.expect(
          .connectionWithoutEnd, event, event.subject, within: Self.patience,
          else: "the first connection to \(event.peerInWords) is pending for 60 s")
      }
    case (.call, "cancelPeripheralConnection(_:)"):
      findings.meet(.connectionWithoutEnd, event.manager, event.subject)
    case (.call, "deinit"): forget(event.manager, &findings)
    case (.callback, _), (.undelivered, _): callback(event, &findings)
    case (.misuse(.peripheralReleased), _): findings.meet(.connectionWithoutEnd, event.manager, event.subject)
    default: return
    }
  }

  private mutating func callback(_ event: ProgramEvent, _ findings: inout RuleFindings) {
    switch event.name {
    case "centralManager(_:didConnect:)":
      findings.meet(.connectionWithoutEnd, event.manager, event.subject)
      guard let peer = event.peer else { return }
      met.insert(peer)
      connected[peer] = event.manager
      if connected.count > Self.linkLimit {
        findings.strike(.tooManyLinks, event, "\(connected.count) devices are connected at a time")
      }
    case "centralManager(_:didFailToConnect:error:)":
      findings.meet(.connectionWithoutEnd, event.manager, event.subject)
    case "centralManager(_:didDisconnectPeripheral:error:)":
      if let peer = event.peer { connected[peer] = nil }
    default:
      if event.powersOn == false { forget(event.manager, &findings) }
    }
  }

  private mutating func forget(_ manager: ProgramManager, _ findings: inout RuleFindings) {
    findings.meetAll(.connectionWithoutEnd, manager)
    connected = connected.filter { $0.value != manager }
  }
}
