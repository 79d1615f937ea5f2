import BLEFaults
import Foundation
import Testing

/// The list of Docs/faults.md: one fault, or several that belong together, with what an app sees of them.
struct FaultRow: Hashable, CustomTestStringConvertible, Sendable {
  /// What the row is called: a test of the rig, or a class of attacks.
  let name: String
  /// In words (`Fault.words`).
  let faults: [String]
  /// The sentences of the faults.
  let sentences: [String]
  /// Who can cause it.
  let origin: String
  /// What is done meanwhile.
  let steps: String
  /// What the app's delegates are called with, and whether the app works when the fault is over.
  let seen: String

  var testDescription: String { name }

  /// The line as the page has it.
  var markdown: String {
    let cells = [name, (sentences + faults.map { "`\($0)`" }).joined(separator: "<br>"), origin, steps, seen]
    return "| \(cells.joined(separator: " | ")) |"
  }
}

enum FaultPage {
  static let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Docs/faults.md").path

  static let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""

  /// The rows of the tables whose first column is "what".
  static let rows: [FaultRow] = {
    var rows: [FaultRow] = []
    var isList = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      guard line.hasPrefix("| ") else {
        isList = isList && line.hasPrefix("|")
        continue
      }
      let cells = line.dropFirst(2).dropLast(2).components(separatedBy: " | ")
        .map { $0.trimmingCharacters(in: .whitespaces) }
      if cells.first == "row" {
        isList = true
      } else if isList, cells.count == 5 {
        let faults = cells[1].components(separatedBy: "<br>").filter { $0.hasPrefix("`") }
        let sentences = cells[1].components(separatedBy: "<br>").filter { !$0.hasPrefix("`") }
        rows.append(
          FaultRow(
            name: cells[0], faults: faults.map { String($0.dropFirst().dropLast()) }, sentences: sentences,
            origin: cells[2], steps: cells[3], seen: cells[4]))
      }
    }
    return rows
  }()

  /// The blocks of JSON.
  static let files: [String] = text.components(separatedBy: "```json\n").dropFirst().map {
    $0.components(separatedBy: "```")[0]
  }
}
