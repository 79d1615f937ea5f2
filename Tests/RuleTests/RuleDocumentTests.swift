import BLERules
import Foundation
import Testing

/// `Docs/ios-rules.md`, as the rules and their cases say. `BLE_WRITE_RULES=1` writes it.
@Suite("The page of the rules")
struct RuleDocumentTests {
  private static let path = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().appendingPathComponent("../../Docs/ios-rules.md").standardizedFileURL.path
  private static let start = "<!-- The table is written by RuleTests: BLE_WRITE_RULES=1 -->\n"

  private static var table: String {
    let cases = Dictionary(RuleCase.all.map { ($0.rule, $0) }) { first, _ in first }
    let rows = SystemRule.all.map { rule in
      let pair = cases[rule.number]
      return [
        "\(rule.number)", rule.severity.rawValue, "\(rule.title). \(rule.consequence)", rule.source, rule.remedy,
        pair?.breaking ?? "", pair?.keeping ?? "",
      ]
    }
    let head = [
      "Rule", "Severity", "What breaks it, and what follows", "Source", "Instead", "Case that breaks it",
      "Case that keeps it",
    ]
    return ([head, head.map { _ in "---" }] + rows).map { "| \($0.joined(separator: " | ")) |\n" }.joined()
  }

  @Test("I14.4 the page lists each rule with its severity, source and remedy, and its two cases")
  func page() throws {
    let text = try String(contentsOfFile: Self.path, encoding: .utf8)
    let range = try #require(text.range(of: Self.start))
    if ProcessInfo.processInfo.environment["BLE_WRITE_RULES"] != nil {
      try (text[..<range.upperBound] + Self.table).write(toFile: Self.path, atomically: true, encoding: .utf8)
      return
    }
    #expect(text[range.upperBound...] == Self.table)
  }
}
