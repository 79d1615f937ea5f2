import BLEAdapter
import BLECore

/// Requests of centrals.
struct RequestRules {
  /// The time-out of a transaction (Core, Vol 3 Part F 3.3.3).
  private static let patience = StackDuration.seconds(30)
  /// So many answered requests are remembered.
  private static let memory = 1_024

  private struct Answered {
    var requests: [TransactionIdentifier: Int] = [:]
    var order: [TransactionIdentifier] = []
  }

  /// The requests of each delegate method that was called and is not answered, by transaction.
  private var open: [ProgramManager: [TransactionIdentifier: Int]] = [:]
  private var answered: [ProgramManager: Answered] = [:]
  /// How long the answer to a read from the beginning was, by peer and characteristic.
  private var lengths: [String: Int] = [:]

  mutating func see(_ event: ProgramEvent, _ findings: inout RuleFindings) {
    switch (event.kind, event.name) {
    case (.callback, "peripheralManager(_:didReceiveRead:)"), (.callback, "peripheralManager(_:didReceiveWrite:)"):
      guard let transaction = event.transaction, event.argument("needsResponse") != "false" else { return }
      open[event.manager, default: [:]][transaction] = event.argument("requests").flatMap { Int($0) } ?? 1
      findings.expect(
        .requestUnanswered, event, "\(transaction.rawValue)", within: Self.patience,
        else: "a request for \(event.attributeInWords) is not answered within 30 s")
    case (.call, "respond(to:withResult:)"): answer(event, &findings)
    case (.unhandled, "peripheralManager(_:didReceiveRead:)"), (.unhandled, "peripheralManager(_:didReceiveWrite:)"):
      findings.strike(
        .requestUnhandled, event, "the delegate has no \(event.name), and \(event.attributeInWords) needs it")
    case (.call, "deinit"): forget(event.manager, &findings)
    default:
      if event.powersOn == false { forget(event.manager, &findings) }
    }
  }

  private mutating func answer(_ event: ProgramEvent, _ findings: inout RuleFindings) {
    guard let transaction = event.transaction else { return }
    if let count = open[event.manager]?.removeValue(forKey: transaction) {
      findings.meet(.requestUnanswered, event.manager, "\(transaction.rawValue)")
      var known = answered[event.manager] ?? Answered()
      known.requests[transaction] = count
      known.order.append(transaction)
      if known.order.count > Self.memory { known.requests[known.order.removeFirst()] = nil }
      answered[event.manager] = known
      judgeOffset(event, &findings)
    } else if let count = answered[event.manager]?.requests[transaction] {
      let rule = count > 1 ? SystemRule.batchAnsweredSingly : .answeredTwice
      findings.strike(rule, event, "the request for \(event.attributeInWords) is answered again")
    }
  }

  /// A value that is as long from its middle as from its beginning is from its beginning.
  private mutating func judgeOffset(_ event: ProgramEvent, _ findings: inout RuleFindings) {
    guard event.argument("result") == "0", let octets = event.octets, octets > 0 else { return }
    if event.argument("offset") == "0" {
      if lengths.count > 10_000 { lengths = [:] }
      lengths[event.subject] = octets
    } else if lengths[event.subject] == octets {
      findings.strike(
        .offsetIgnored, event,
        "\(octets) octets of \(event.attributeInWords) from offset \(event.argument("offset") ?? "?"), as many as from 0"
      )
    }
  }

  private mutating func forget(_ manager: ProgramManager, _ findings: inout RuleFindings) {
    open[manager] = nil
    answered[manager] = nil
    findings.meetAll(.requestUnanswered, manager)
  }
}
