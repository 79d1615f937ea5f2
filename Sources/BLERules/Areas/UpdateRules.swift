import BLEAdapter
import BLECore

/// Updates of subscribers.
struct UpdateRules {
  private static let update = "updateValue(_:for:onSubscribedCentrals:)"
  private static let patience = StackDuration.seconds(5)

  /// The updates that were refused and not sent since, by manager; the manager has no room until it is ready.
  private var refused: [ProgramManager: [BLEUUID: ProgramEvent]] = [:]
  private var isFull: Set<ProgramManager> = []
  /// Those whose next result is false for another reason.
  private var refusedOtherwise: Set<ProgramManager> = []

  mutating func see(_ event: ProgramEvent, _ findings: inout RuleFindings) {
    switch (event.kind, event.name) {
    case (.call, Self.update):
      if isFull.contains(event.manager) {
        findings.strike(
          .updateWithoutRoom, event, "\(event.attributeInWords) is updated before the manager is ready again")
      }
      if let octets = event.octets, let capacity = event.capacity, octets > capacity {
        findings.strike(
          .updateCut, event,
          "an update of \(octets) octets of \(event.attributeInWords), and a subscriber receives \(capacity)")
      }
    case (.result, Self.update):
      guard let uuid = event.attribute?.uuid, refusedOtherwise.remove(event.manager) == nil else { return }
      if event.argument("result") == "true" {
        refused[event.manager]?[uuid] = nil
        findings.meet(.updateLost, event.manager, "\(uuid)")
      } else {
        isFull.insert(event.manager)
        refused[event.manager, default: [:]][uuid] = event
      }
    case (.misuse(.notPublished), _): refusedOtherwise.insert(event.manager)
    case (.callback, "peripheralManagerIsReady(toUpdateSubscribers:)"),
      (.undelivered, "peripheralManagerIsReady(toUpdateSubscribers:)"):
      isFull.remove(event.manager)
      for (uuid, lost) in refused[event.manager] ?? [:] {
        var late = event
        late.attribute = lost.attribute
        findings.expect(
          .updateLost, late, "\(uuid)", within: Self.patience,
          else: "an update of \(uuid) was refused, and is not sent again within 5 s after the manager is ready")
      }
      refused[event.manager] = nil
    case (.callback, "peripheralManager(_:central:didUnsubscribeFrom:)"):
      // There may be no one left to send it to.
      if let uuid = event.attribute?.uuid, event.attribute?.isNotifying == false {
        refused[event.manager]?[uuid] = nil
        findings.meet(.updateLost, event.manager, "\(uuid)")
      }
    case (.call, "deinit"): forget(event.manager, &findings)
    default:
      if event.powersOn == false { forget(event.manager, &findings) }
    }
  }

  private mutating func forget(_ manager: ProgramManager, _ findings: inout RuleFindings) {
    refused[manager] = nil
    isFull.remove(manager)
    findings.meetAll(.updateLost, manager)
  }
}
