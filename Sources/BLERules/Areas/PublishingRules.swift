import BLEAdapter
import BLECore

/// Advertising, publishing services, and channels.
struct PublishingRules {
  private static let nameKey = "kCBAdvDataLocalName"
  private static let servicesKey = "kCBAdvDataServiceUUIDs"
  private static let reserved: [BLEUUID] = [0x1800, 0x1801, 0x180F, 0x1812].map { BLEUUID(UInt16($0)) }
  /// Octets beside the flags, and for the name in the scan response.
  private static let room = 28
  private static let nameRoom = 10

  /// The call that started the advertising of each manager.
  private var advertising: [ProgramManager: ProgramEvent] = [:]
  private var multiplexers: [ProgramManager: Set<String>] = [:]

  mutating func see(_ event: ProgramEvent, _ scene: RuleScene, _ findings: inout RuleFindings) {
    switch (event.kind, event.name) {
    case (.call, "startAdvertising(_:)"): start(event, scene, &findings)
    case (.call, "stopAdvertising()"), (.call, "deinit"): advertising[event.manager] = nil
    case (.call, "add(_:)"):
      if let uuid = event.attribute?.uuid, Self.reserved.contains(uuid) {
        findings.strike(.reservedService, event, "the service \(uuid) is added")
      }
    case (.callback, "peripheralManager(_:didAdd:error:)"):
      if let error = event.error, !(event.attribute.map { Self.reserved.contains($0.uuid) } ?? false) {
        findings.strike(.serviceRefused, event, "the service \(event.attributeInWords) is not added: \(error)")
      }
    case (.callback, "peripheralManager(_:didPublishL2CAPChannel:error:)"):
      if event.error == nil, let psm = event.argument("PSM") { multiplexers[event.manager, default: []].insert(psm) }
    case (.call, "unpublishL2CAPChannel(_:)"):
      let psm = event.argument("PSM") ?? ""
      if multiplexers[event.manager]?.remove(psm) == nil {
        findings.strike(.multiplexerUnknown, event, "the PSM \(psm) is withdrawn, which is not published")
      }
    default:
      if event.powersOn == false {
        advertising[event.manager] = nil
        multiplexers[event.manager] = nil
      }
    }
  }

  private mutating func start(_ event: ProgramEvent, _ scene: RuleScene, _ findings: inout RuleFindings) {
    if advertising[event.manager] != nil {
      findings.strike(.advertisingTwice, event, "startAdvertising(_:) while advertising is on")
      return
    }
    advertising[event.manager] = event
    let others = event.arguments.map(\.label).filter { $0 != Self.nameKey && $0 != Self.servicesKey }
    if !others.isEmpty {
      findings.strike(.advertisingKeys, event, "startAdvertising(_:) with \(others.joined(separator: ", "))")
    }
    judgeLengths(event, &findings)
    if scene.isInBackground { judgeName(event, at: event.time, &findings) }
  }

  private func judgeLengths(_ event: ProgramEvent, _ findings: inout RuleFindings) {
    let services = (event.argument(Self.servicesKey) ?? "").split(separator: ", ")
    // The octets of each list of one width, with its header.
    var lists: [Int: Int] = [:]
    for service in services {
      let octets = service.utf8.count == 4 ? 2 : service.utf8.count == 8 ? 4 : 16
      lists[octets, default: 2] += octets
    }
    let used = lists.values.reduce(0, +)
    if used > Self.room {
      findings.strike(
        .servicesOverflow, event, "\(services.count) services take \(used) octets of \(Self.room) in the advertisement")
    }
    guard let name = event.argument(Self.nameKey) else { return }
    let octets = name.utf8.count
    if octets > Self.nameRoom, octets + 2 > Self.room - used {
      findings.strike(.nameCut, event, "the name '\(name)' of \(octets) octets, beside \(used) octets of services")
    }
  }

  func enterBackground(at now: StackInstant, _ findings: inout RuleFindings) {
    for (_, event) in advertising.sorted(by: { $0.key.number < $1.key.number }) { judgeName(event, at: now, &findings) }
  }

  private func judgeName(_ event: ProgramEvent, at now: StackInstant, _ findings: inout RuleFindings) {
    guard let name = event.argument(Self.nameKey) else { return }
    findings.strike(.backgroundName, at: now, event.manager, event.name) {
      "the name '\(name)' is advertised in the background"
    }
  }
}
