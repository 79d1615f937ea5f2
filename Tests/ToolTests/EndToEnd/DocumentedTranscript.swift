import Foundation
import TestSupport
import Testing

/// A page of `Docs` whose commands are run: lines that begin with `$ ` in blocks behind `<!-- run -->`, with what they print below them.
struct DocumentedTranscript {
  /// The folder of the repository.
  static let root =
    "/" + URL(fileURLWithPath: #filePath).pathComponents.dropFirst().dropLast(4).joined(separator: "/")
  private let page: String

  init(_ name: String) throws { page = try String(contentsOfFile: Self.root + "/Docs/" + name, encoding: .utf8) }

  /// The blocks behind a line `<!-- MARK -->`.
  func blocks(_ mark: String) -> [String] {
    page.components(separatedBy: "<!-- \(mark) -->\n").dropFirst().map { rest in
      let lines = rest.split(separator: "\n", omittingEmptySubsequences: false)
      return lines.dropFirst().prefix { !$0.hasPrefix("```") }.joined(separator: "\n")
    }
  }

  /// Runs all commands in one shell, and compares. Where the page has three points, anything may stand.
  /// - Parameter files: blocks that are written into the folder under these names before.
  func run(
    in place: Neighbourhood, _ broker: TestBroker, files: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    func here(_ text: String) -> String { text.replacing("1883", with: "\(broker.port)") }
    for file in files { _ = try place.file(file, here(try #require(blocks("file \(file)").first))) }
    var (commands, shown): ([String], [String]) = ([], [])
    for line in blocks("run").joined(separator: "\n").split(separator: "\n") {
      guard line.hasPrefix("$ ") else {
        shown.append(String(line))
        continue
      }
      commands.append(String(line.dropFirst(2)))
      if line.hasSuffix(" &") { commands.append("processes=\"$processes $!\"") }
    }
    let script = """
      cd '\(place.folder.path)'
      mkdir bin && ln -s "$BLE_TOOL" bin/ble && PATH="$PWD/bin:$PATH"
      trap 'kill -9 $processes' EXIT
      \(here(commands.joined(separator: "\n")))
      """
    let shell = try place.shell(script)
    let (status, printed) = try shell.finish(within: 120)
    #expect(status == 0 && printed.count == shown.count, "\(shell.transcript)", sourceLocation: sourceLocation)
    for (line, pattern) in zip(printed, shown) {
      var rest = line[...]
      for (index, part) in here(pattern).components(separatedBy: "...").enumerated() where !part.isEmpty {
        let found = try #require(
          rest.range(of: part), "'\(part)' is not in '\(line)'", sourceLocation: sourceLocation)
        if index == 0 { #expect(found.lowerBound == line.startIndex, sourceLocation: sourceLocation) }
        rest = rest[found.upperBound...]
      }
    }
  }
}
