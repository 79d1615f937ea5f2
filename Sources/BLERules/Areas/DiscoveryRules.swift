import BLEAdapter
import BLECore

/// Discovering services and characteristics, what the system keeps of them, and the channels of a device.
struct DiscoveryRules {
  private static let hidden: [BLEUUID] =
    [0x1800, 0x1801, 0x1812].map { BLEUUID(UInt16($0)) }
    + ["7905F431-B5CE-4E99-A40F-4B1E122D00D0", "89D3502B-0F36-433A-8EF4-C502AD55F8DC"].compactMap { BLEUUID($0) }

  /// Those of LE (Core, Vol 3 Part A 4.22).
  private static let multiplexers = 0x0001...0x00FF

  /// What was found on a peer: the handles of its services.
  private struct Layout {
    var handles: [Substring: Substring] = [:]
    /// Those of the connection before.
    var earlier: [Substring: Substring] = [:]
    /// Whether the peer has indicated a change in this connection.
    var hasChanged = false
  }

  private var layouts: [PeerIdentifier: Layout] = [:]
  /// The most peers whose services are remembered.
  private static let peerLimit = 10_000

  mutating func see(_ event: ProgramEvent, _ findings: inout RuleFindings) {
    switch (event.kind, event.name) {
    case (.call, "discoverServices(_:)"):
      let services = event.argument("services") ?? "all"
      if services == "all" {
        findings.strike(.discoverAllServices, event, "discoverServices(nil)")
      } else if let text = services.split(separator: ", ").first(where: Self.isHidden) {
        findings.strike(.hiddenService, event, "discoverServices with \(text)")
      }
    case (.call, "discoverCharacteristics(_:for:)"):
      if event.argument("characteristics") == "all" {
        findings.strike(
          .discoverAllCharacteristics, event, "discoverCharacteristics(nil, for: \(event.attributeInWords))")
      }
    case (.call, "openL2CAPChannel(_:)"):
      let psm = event.argument("PSM").flatMap { Int($0) } ?? 0
      if !Self.multiplexers.contains(psm) {
        findings.strike(.multiplexerOutOfRange, event, "openL2CAPChannel(\(psm))")
      }
    case (.unhandled, "peripheral(_:didModifyServices:)"):
      findings.strike(.serviceChangeIgnored, event, "services of \(event.peerInWords) have changed")
    case (.callback, "centralManager(_:didConnect:)"): connected(event)
    case (.callback, "peripheral(_:didModifyServices:)"):
      if let peer = event.peer { layouts[peer]?.hasChanged = true }
    case (.callback, "peripheral(_:didDiscoverServices:)") where event.error == nil: found(event, &findings)
    default: return
    }
  }

  private static func isHidden(_ text: Substring) -> Bool {
    BLEUUID(String(text)).map { hidden.contains($0) } ?? false
  }

  private mutating func connected(_ event: ProgramEvent) {
    guard let peer = event.peer else { return }
    if layouts.count >= Self.peerLimit { layouts = [:] }
    var layout = layouts[peer] ?? Layout()
    if !layout.handles.isEmpty { layout.earlier = layout.handles }
    layout.handles = [:]
    layout.hasChanged = false
    layouts[peer] = layout
  }

  private mutating func found(_ event: ProgramEvent, _ findings: inout RuleFindings) {
    guard let peer = event.peer, var layout = layouts[peer] else { return }
    let all = event.argument("found, all")
    for entry in (all ?? event.argument("found") ?? "").split(separator: ", ") {
      let parts = entry.split(separator: "@")
      if parts.count == 2 { layout.handles[parts[0]] = parts[1] }
    }
    layouts[peer] = layout
    guard !layout.earlier.isEmpty, !layout.hasChanged else { return }
    let isMoved = layout.handles.contains { uuid, handle in layout.earlier[uuid].map { $0 != handle } ?? false }
    let isOther = all != nil && Set(layout.handles.keys) != Set(layout.earlier.keys)
    if isMoved || isOther {
      findings.strike(.cachedDatabase, event, "\(event.peerInWords) has other services than in the last connection")
    }
  }
}
