import Foundation
import Testing

@testable import ble

/// Every command of the tree has tests of what it says: one on a terminal, one in a pipe, named `ble <command> on a terminal ...`
/// and `ble <command> in a pipe ...`, wherever they stand.
@Suite("Each command has its transcripts")
struct CommandTranscriptTests {
  /// The names of all tests of the tool.
  private static func testNames() throws -> [String] {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
    var names: [String] = []
    for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
      for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") where line.contains("func `") {
        names += line.split(separator: "`").dropFirst().prefix(1).map(String.init)
      }
    }
    return names
  }

  /// The commands that do something, with the words that lead to them.
  private static func commands(_ node: CommandNode, _ words: [String]) -> [String] {
    let below = node.subcommands.flatMap { commands($0, words + [$0.name]) }
    return (node.make == nil ? [] : [words.joined(separator: " ")]) + below
  }

  @Test(arguments: ["on a terminal", "in a pipe"])
  func `Every command of the tree has a transcript`(place: String) throws {
    let names = try Self.testNames()
    let commands = Self.commands(Tool.tree, ["ble"])
    #expect(names.count > 50 && commands.count > 10)
    let missing = commands.filter { command in !names.contains { $0.contains("\(command) \(place)") } }
    #expect(missing.isEmpty, "without a test named '<command> \(place) ...': \(missing)")
  }
}
