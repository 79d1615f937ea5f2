import BLEAdapter
import BLECore

/// What the rules of one device have found so far, and what they wait for.
struct RuleFindings {
  /// Where a rule was broken: there it is reported once.
  private struct Place: Hashable {
    let rule: SystemRule
    let manager: ProgramManager?
    let name: String
    let attribute: BLEUUID?
  }

  /// Something that has to happen in time.
  private struct Expectation: Hashable {
    let rule: SystemRule
    let manager: ProgramManager
    let key: String
  }

  private let device: String
  private let suppressed: Set<Int>
  private(set) var broken: [BrokenRule] = []
  private var places: Set<Place> = []
  private struct Due {
    let deadline: StackInstant
    let event: ProgramEvent
    let what: String
  }

  private var expected: [Expectation: Due] = [:]
  /// The first deadline, or an earlier instant.
  private var earliest: StackInstant?

  init(device: String, suppressed: Set<Int>) {
    self.device = device
    self.suppressed = suppressed
  }

  /// - Parameter what: what happened, in words, without a full stop.
  mutating func strike(_ rule: SystemRule, _ event: ProgramEvent, _ what: @autoclosure () -> String) {
    strike(rule, at: event.time, event.manager, event.name, event.attribute?.uuid, what)
  }

  mutating func strike(
    _ rule: SystemRule, at time: StackInstant, _ manager: ProgramManager?, _ name: String, _ attribute: BLEUUID? = nil,
    _ what: () -> String
  ) {
    guard !suppressed.contains(rule.number) else { return }
    let place = Place(rule: rule, manager: manager, name: name, attribute: attribute)
    guard places.insert(place).inserted else { return }
    broken.append(BrokenRule(rule: rule, device: device, manager: manager, time: time, what: what()))
  }

  /// The rule is broken unless `meet` is called within `limit`. Expected already: nothing changes.
  mutating func expect(
    _ rule: SystemRule, _ event: ProgramEvent, _ key: String = "", within limit: StackDuration, else what: String
  ) {
    let expectation = Expectation(rule: rule, manager: event.manager, key: key)
    guard expected[expectation] == nil else { return }
    let deadline = event.time + limit
    expected[expectation] = Due(deadline: deadline, event: event, what: what)
    earliest = earliest.map { min($0, deadline) } ?? deadline
  }

  mutating func meet(_ rule: SystemRule, _ manager: ProgramManager, _ key: String = "") {
    guard !expected.isEmpty else { return }
    expected[Expectation(rule: rule, manager: manager, key: key)] = nil
  }

  /// Nothing is expected of the rule any more: of one manager, or of all.
  mutating func meetAll(_ rule: SystemRule, _ manager: ProgramManager? = nil) {
    guard !expected.isEmpty else { return }
    expected = expected.filter { $0.key.rule != rule || (manager != nil && $0.key.manager != manager) }
  }

  /// Nothing is expected of anything any more: the process has ended.
  mutating func expectNothing() {
    expected = [:]
    earliest = nil
  }

  /// What should have happened by now, and has not.
  mutating func look(at now: StackInstant) {
    guard let earliest, earliest <= now else { return }
    strikeExpected(at: now) { $0.value.deadline <= now }
  }

  /// What the rule expects does not happen.
  mutating func strikeExpected(_ rule: SystemRule, at now: StackInstant) {
    strikeExpected(at: now) { $0.key.rule == rule }
  }

  private mutating func strikeExpected(
    at now: StackInstant, _ isMeant: ((key: Expectation, value: Due)) -> Bool
  ) {
    let late = expected.filter { isMeant($0) }.sorted { left, right in
      (left.value.deadline, left.key.rule.number, left.key.manager.number, left.key.key)
        < (right.value.deadline, right.key.rule.number, right.key.manager.number, right.key.key)
    }
    for (expectation, due) in late {
      expected[expectation] = nil
      strike(
        expectation.rule, at: min(due.deadline, now), expectation.manager, due.event.name, due.event.attribute?.uuid,
        { due.what }
      )
    }
    self.earliest = expected.values.map(\.deadline).min()
  }
}
