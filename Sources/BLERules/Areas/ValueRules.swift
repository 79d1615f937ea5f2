import BLEAdapter
import BLECore

/// Reading, writing and subscribing.
struct ValueRules {
  /// Property bits (Core, Vol 3 Part G 3.3.1.1, and Apple's for encrypted notifications).
  private enum Property {
    static let read: UInt = 0x02
    static let writeWithoutResponse: UInt = 0x04 | 0x40
    static let write: UInt = 0x08
    static let notify: UInt = 0x10 | 0x20 | 0x100 | 0x200
  }

  private struct Rate {
    var times: [StackInstant] = []
    /// Whether `count` events came within `duration`, this one included.
    mutating func isReached(_ count: Int, within duration: StackDuration, at now: StackInstant) -> Bool {
      times.append(now)
      if times.count > count { times.removeFirst(times.count - count) }
      return times.count == count && now - times[0] <= duration
    }
  }

  private var reads: [String: Rate] = [:]
  private var signals: [String: Rate] = [:]
  /// Writes without response since the program has last asked for room, or was told of it.
  private var bursts: [String: Int] = [:]
  private static let burstLimit = 20
  /// The most peers and attributes that are followed.
  private static let followed = 100_000

  mutating func see(_ event: ProgramEvent, _ findings: inout RuleFindings) {
    switch (event.kind, event.name) {
    case (.call, "readValue(for:)"): read(event, &findings)
    case (.call, "writeValue(_:for:type:)"): write(event, &findings)
    case (.call, "setNotifyValue(_:for:)"):
      if lacks(Property.notify, event), event.argument("enabled") == "true" {
        findings.strike(
          .subscriptionWithoutProperty, event,
          "setNotifyValue(true, for: \(event.attributeInWords)), which can neither notify nor indicate")
      }
    case (.call, "readRSSI()"):
      if signals.count > Self.followed { signals = [:] }
      let isOften = signals[event.subject, default: Rate()].isReached(5, within: .seconds(3), at: event.time)
      if isOften { findings.strike(.signalTooOften, event, "readRSSI() five times within 3 s") }
    case (.call, "canSendWriteWithoutResponse"), (.callback, "peripheralIsReady(toSendWriteWithoutResponse:)"),
      (.callback, "centralManager(_:didConnect:)"):
      bursts[peer(event)] = 0
    default: return
    }
  }

  private func lacks(_ property: UInt, _ event: ProgramEvent) -> Bool {
    guard let properties = event.attribute?.properties else { return false }
    return properties & property == 0
  }

  private func peer(_ event: ProgramEvent) -> String {
    "\(event.manager.number) \(event.peer.map { "\($0.high) \($0.low)" } ?? "")"
  }

  private mutating func read(_ event: ProgramEvent, _ findings: inout RuleFindings) {
    guard let properties = event.attribute?.properties else { return }
    if lacks(Property.read, event) {
      findings.strike(.readWithoutProperty, event, "readValue(for: \(event.attributeInWords)), which cannot be read")
    }
    guard properties & Property.notify != 0, event.attribute?.isNotifying == false else { return }
    if reads.count > Self.followed { reads = [:] }
    let isOften = reads[event.subject, default: Rate()].isReached(10, within: .seconds(60), at: event.time)
    if isOften {
      findings.strike(.polling, event, "\(event.attributeInWords) is read ten times within a minute, and can notify")
    }
  }

  private mutating func write(_ event: ProgramEvent, _ findings: inout RuleFindings) {
    let octets = event.octets ?? 0
    let words = "\(octets) octets to \(event.attributeInWords)"
    if event.argument("type") == "withResponse" {
      if lacks(Property.write, event) {
        findings.strike(.writeWithoutProperty, event, "a write to \(event.attributeInWords), which cannot be written")
      } else if octets > 512 {
        findings.strike(.valueTooLong, event, "a write of \(words)")
      } else if let capacity = event.capacity, octets > capacity {
        findings.strike(.longWrite, event, "a write of \(words), and \(capacity) fit into one packet")
      }
      return
    }
    if lacks(Property.writeWithoutResponse, event) {
      findings.strike(
        .commandWithoutProperty, event,
        "a write without response to \(event.attributeInWords), which has no such property")
      return
    }
    if bursts.count > Self.followed { bursts = [:] }
    bursts[peer(event), default: 0] += 1
    if bursts[peer(event)] == Self.burstLimit {
      findings.strike(
        .burstUnasked, event,
        "\(Self.burstLimit) writes without response, and canSendWriteWithoutResponse was not asked")
    }
  }
}
