import Foundation

/// `delegate-check FILE...`: the files are symbol graphs, made with the access level `private`.
/// Prints what it finds, and fails where it found something.
@main
struct DelegateCheckTool {
  static func main() {
    let files = Array(CommandLine.arguments.dropFirst())
    guard !files.isEmpty, !files.contains("--help") else {
      print("usage: delegate-check SYMBOL-GRAPH...   (swift package check-delegates makes them by itself)")
      exit(64)
    }
    do {
      let graphs = try files.map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
      let findings = try SubclassMethods.findings(in: graphs)
      for finding in findings { print(finding) }
      exit(findings.isEmpty ? 0 : 1)
    } catch {
      print("delegate-check: \(error)")
      exit(2)
    }
  }
}
