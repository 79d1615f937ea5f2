import Foundation
import Testing

@testable import ble

/// Every command of the tree has tests of its output: one on a terminal, one in a pipe, named `ble <command> on a terminal
/// ...` and `ble <command> in a pipe ...`, in any file.
@Suite("Each command has its transcripts")
struct CommandTranscriptTests {
  /// The display names of all tests of the tool.
  private static func testNames() throws -> [String] {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
    var names: [String] = []
    for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
      let source = try String(contentsOf: file, encoding: .utf8)
      names += source.matches(of: /@Test\(\s*"([^"]*)"/).map { String($0.1) }
    }
    return names
  }

  /// The commands that can be run, with their words.
  private static func commands(_ node: CommandNode, _ words: [String]) -> [String] {
    let below = node.subcommands.flatMap { commands($0, words + [$0.name]) }
    return (node.make == nil ? [] : [words.joined(separator: " ")]) + below
  }

  @Test("Every command of the tree has a transcript", arguments: ["on a terminal", "in a pipe"])
  func everyCommandOfTheTreeHasATranscript(place: String) throws {
    let names = try Self.testNames()
    let commands = Self.commands(Tool.tree, ["ble"])
    #expect(names.count > 50 && commands.count > 10)
    let missing = commands.filter { command in !names.contains { $0.contains("\(command) \(place)") } }
    #expect(missing.isEmpty, "without a test named '<command> \(place) ...': \(missing)")
  }
}
