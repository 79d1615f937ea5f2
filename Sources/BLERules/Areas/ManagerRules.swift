import BLEAdapter
import BLECore

/// Managers and delegates, and every wrong use that the facade notices itself.
struct ManagerRules {
  private static let blocked = StackDuration.seconds(1)
  /// Those whose loss does not matter to a program that has no use for them.
  private static let optional: Set = [
    "peripheralDidUpdateName(_:)", "peripheral(_:didModifyServices:)",
    "peripheralIsReady(toSendWriteWithoutResponse:)", "peripheralManagerIsReady(toUpdateSubscribers:)",
    "centralManager(_:connectionEventDidOccur:for:)",
  ]

  /// Managers whose first state was reported.
  private var started: Set<ProgramManager> = []

  mutating func see(_ event: ProgramEvent, _ scene: RuleScene, _ findings: inout RuleFindings) {
    switch event.kind {
    case .call: call(event, scene, &findings)
    case .callback:
      if event.powersOn != nil { started.insert(event.manager) }
      findings.expect(
        .queueBlocked, event, event.name, within: Self.blocked, else: "\(event.name) has not returned within 1 s")
    case .returned: findings.meet(.queueBlocked, event.manager, event.name)
    case .undelivered:
      if event.powersOn != nil {
        started.insert(event.manager)
        findings.strike(
          .stateUndelivered, event,
          "the \(event.manager.role.rawValue) manager has no delegate when its state is reported")
      } else if !Self.optional.contains(event.name) {
        findings.strike(.resultUndelivered, event, "\(event.name) is due, and no delegate is set")
      }
    case .misuse(let misuse):
      if let (rule, words) = Self.rule(of: misuse, event) { findings.strike(rule, event, words) }
    case .unhandled, .result: return
    }
  }

  private mutating func call(_ event: ProgramEvent, _ scene: RuleScene, _ findings: inout RuleFindings) {
    switch event.name {
    case "init(delegate:queue:options:)":
      if let information = scene.information, (information.usageDescription ?? "").isEmpty {
        findings.strike(
          .noUsageDescription, event,
          "a \(event.manager.role.rawValue) manager is made, and the Info.plist has no NSBluetoothAlwaysUsageDescription"
        )
      }
    case "deinit":
      if started.remove(event.manager) == nil {
        findings.strike(
          .managerReleased, event, "a \(event.manager.role.rawValue) manager is released before its state was reported")
      }
    default: return
    }
  }

  private static func rule(of misuse: ProgramMisuse, _ event: ProgramEvent) -> (SystemRule, String)? {
    switch misuse {
    case .notPoweredOn: (.notPoweredOn, "\(event.name) while the manager is not powered on")
    case .notConnected: (.notConnected, "\(event.name) on \(event.peerInWords), which is not connected")
    case .peripheralReleased: (.peripheralReleased, "the CBPeripheral of \(event.peerInWords) is released")
    case .channelReleased: (.channelReleased, "a channel to \(event.peerInWords) is released unopened")
    case .foreignPeripheral: (.foreignPeripheral, "\(event.name) with a peripheral of another manager")
    case .invalidPeripheral: (.invalidPeripheral, "\(event.name) with an invalid peripheral")
    case .delegateMissing: (.delegateMissing, "\(event.name), and the peripheral has no delegate")
    case .restoringWithoutDelegate: (.restoringWithoutDelegate, "a manager with a restore identifier has no delegate")
    case .staleAttribute: (.staleAttribute, "\(event.name) with \(event.attributeInWords), which is not valid any more")
    case .writeWithoutRoom:
      (
        .writeWithoutRoom,
        "a write without response to \(event.attributeInWords) while canSendWriteWithoutResponse is false"
      )
    case .writeCut:
      (
        .commandCut,
        """
        \(event.octets ?? 0) octets are written to \(event.attributeInWords) without response, and \(event.capacity ?? 0) fit
        """
      )
    case .tooManyEventServices: (.tooManyEventServices, "connection events are requested for more than four services")
    case .notPublished: (.updateUnpublished, "\(event.attributeInWords) is updated, which is not published")
    case .foreignRequest: (.foreignRequest, "a request for \(event.attributeInWords) is answered by another manager")
    }
  }
}
