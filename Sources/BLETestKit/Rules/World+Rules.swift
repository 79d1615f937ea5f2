import BLERules
import Testing

extension World {
  /// The rules of Apple's systems by which the programs of this world are judged: `world.rules = .iOS(18)`. Set it before the first
  /// manager is made: what happened earlier is not judged.
  ///
  /// A rule that is broken is recorded as an issue, at the line that gives the rules, as soon as the current `settle`, `advance`, `wait` or
  /// `perform` has returned: once for each place. Its severity is the rule's: a warning does not fail the test. In a world of `explore` or
  /// `replay` a broken rule of severity `error` ends the world, which fails; warnings are not reported there.
  ///
  /// Without swift-testing a broken rule is printed on standard error.
  ///
  /// A suppression that is given twice, names no rule, or has no reason, is an issue at once.
  public var rules: RuleSet? {
    get { promises.rules.set }
    set {
      promises.rules.set = newValue
      guard let newValue else { return }
      for mistake in newValue.mistakes {
        Issue.record("\(mistake)", sourceLocation: newValue.place.sourceLocation)
      }
    }
  }

  /// The rules that were broken so far, by time. Read it while the world's clock stands still.
  public var brokenRules: [BrokenRule] {
    promises.rules.look(at: loop.now)
    return promises.rules.broken
  }

  /// After a run of a world that is not explored.
  func reportBrokenRules() {
    guard let place = promises.rules.set?.place else { return }
    for broken in promises.rules.takeBroken() {
      guard Test.current != nil else {
        worldLog.say("\(broken)")
        continue
      }
      Issue.record(
        "\(broken)", severity: broken.rule.severity == .error ? .error : .warning,
        sourceLocation: place.sourceLocation)
    }
  }
}

extension TrialFailure {
  init(_ broken: BrokenRule, at place: RuleSet.Place?) {
    self.init(rule: broken.rule.number, words: "\(broken)", location: place?.sourceLocation)
  }
}
