import Foundation
import Testing

@testable import ble

@Suite("Help")
struct HelpPageTests {
  /// Every command with its path.
  private static let paths: [[CommandNode]] = {
    func below(_ path: [CommandNode]) -> [[CommandNode]] {
      [path] + (path.last?.subcommands ?? []).flatMap { below(path + [$0]) }
    }
    return below([Tool.tree])
  }()

  @Test("Each page has its sections in order, within 80 columns")
  func eachPageHasItsSectionsInOrder() throws {
    for path in Self.paths {
      let text = HelpPage(of: path, parser: Tool.parser).text
      let title = path.map(\.name).joined(separator: " ")
      var rest = text[...]
      let sections = ["OVERVIEW: ", "USAGE: \(title)"] + (path.last?.arguments.isEmpty == false ? ["ARGUMENTS:"] : [])
      for section in sections + ["OPTIONS:"] {
        let found = try #require(rest.range(of: section), "\(title): \(section)")
        rest = rest[found.upperBound...]
      }
      for line in text.split(separator: "\n") where !line.contains("http") {
        #expect(line.count <= 80, "\(title): \(line)")
      }
      #expect(text.contains("-h, --help"))
    }
  }

  @Test("Every option and argument is explained on its page")
  func everyOptionAndArgumentIsExplainedOnItsPage() {
    for path in Self.paths {
      let text = HelpPage(of: path, parser: Tool.parser).text
      for option in path.last?.options ?? [] { #expect(text.contains(option.label) && !option.help.isEmpty) }
      for argument in path.last?.arguments ?? [] { #expect(text.contains(argument.label) && !argument.help.isEmpty) }
    }
  }

  @Test("The first page lists every command and every exit status")
  func theFirstPageListsEveryCommandAndEveryExitStatus() {
    let text = HelpPage(of: [Tool.tree], parser: Tool.parser).text
    for command in Tool.tree.subcommands { #expect(text.contains("  \(command.name)")) }
    for status in ExitStatus.allCases { #expect(text.contains("  \(status.rawValue) ")) }
  }

  @Test("No option of a command hides a common one")
  func noOptionOfACommandHidesACommon() {
    for path in Self.paths {
      let options = Tool.parser.ownOptions(of: path) + Tool.parser.commonOptions
      #expect(Set(options.map(\.name)).count == options.count, "\(path.map(\.name))")
    }
  }

  @Test(
    "The distance of two words counts typing errors",
    arguments: [
      ("scan", "scan", 0), ("scn", "scan", 1), ("sacn", "scan", 1), ("", "abc", 3), ("kitten", "sitting", 3),
    ])
  func theDistanceOfTwoWordsCountsTypingErrors(left: String, right: String, distance: Int) {
    #expect(Suggestion.distance(Array(left.unicodeScalars), Array(right.unicodeScalars)) == distance)
  }

  @Test("Nothing is suggested for a word without a similar one")
  func nothingIsSuggestedForAWordWithoutASimilar() {
    #expect(Suggestion.nearest(to: "xyzzy", among: ["scan", "serve"]) == nil)
    #expect(Suggestion.nearest(to: String(repeating: "s", count: 100_000), among: ["scan"]) == nil)
  }
}
