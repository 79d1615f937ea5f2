import BLERules
import BLETestKit
import Testing

/// Each rule is broken by one case, and kept by another that is close to it.
@Suite("Rules of iOS")
struct RuleTests {
  @Test("I14.4 a rule is broken, reported once for each place, and a result of the test", arguments: RuleCase.all)
  func broken(_ rule: RuleCase) async throws {
    let bench = RuleBench()
    try await withKnownIssue(isIntermittent: true) {
      try await rule.breaks(bench)
      await bench.world.settle()
    } matching: { issue in
      // Any other issue of the case is a failure.
      issue.comments.contains { $0.rawValue.hasPrefix("rule ") }
    }
    let found = bench.world.brokenRules.filter { $0.rule.number == rule.rule }
    #expect(!found.isEmpty, "\(rule.breaking): \(bench.world.brokenRules)")
    #expect(found.allSatisfy { ["phone", "lamp"].contains($0.device) })
  }

  @Test(
    "I14.4 a rule is not broken by what is close to it, and nothing else is wrong with that", arguments: RuleCase.all)
  func kept(_ rule: RuleCase) async throws {
    let bench = RuleBench()
    // A broken rule of severity `error` is an issue, which fails the test.
    try await rule.keeps(bench)
    await bench.world.settle()
    let found = bench.world.brokenRules.filter { $0.rule.number == rule.rule }
    #expect(found.isEmpty, "\(rule.keeping): \(found)")
  }

  @Test("I14.4 each rule has its number for itself, a source and a remedy, and is covered by one pair of cases")
  func complete() {
    let numbers = SystemRule.all.map(\.number)
    #expect(numbers == numbers.sorted())
    #expect(Set(numbers).count == numbers.count)
    #expect(numbers.count >= 40)
    #expect(RuleCase.all.map(\.rule) == numbers)
    for rule in SystemRule.all {
      for text in [rule.title, rule.consequence, rule.source, rule.remedy] {
        #expect(text.count > 10, "rule \(rule.number)")
      }
    }
  }
}
