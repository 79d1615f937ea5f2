import Foundation

/// `symbol-comparison`: compares, and writes what is generated from the comparison.
/// `symbol-comparison --check`: the same, but nothing is written, and a file that is not current is a failure.
/// `symbol-comparison --graph FILE`: writes the symbol graph that the documentation is made of.
@main
struct SymbolComparisonTool {
  static let page = "Sources/CoreBluetooth/CoreBluetooth.docc/Compatibility.md"
  static let values = "Tests/RequirementTests/SymbolValues.swift"
  static let annotations = "Tools/symbol-comparison/annotations.json"

  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    let package = FileManager.default.currentDirectoryPath
    do {
      switch (arguments.first, arguments.count) {
      case (nil, _): try run(in: package, writes: true)
      case ("--check", 1): try run(in: package, writes: false)
      case ("--graph", 2): try Toolchain(package: package).writeDocumentationGraph(to: arguments[1])
      default:
        print("usage: symbol-comparison [--check | --graph FILE]   (in the package's folder)")
        exit(64)
      }
    } catch {
      print("symbol-comparison: \(error)")
      exit(1)
    }
  }

  /// The list of Apple's symbols, below the package's folder.
  static let list = "Tools/apple-interface/symbols.json"

  private static func run(in package: String, writes: Bool) throws {
    let toolchain = Toolchain(package: package)
    let interface = try toolchain.interface()
    let comparison = SymbolComparison(
      list: try ListedSymbol.list(at: package + "/" + list), interface: interface,
      annotations: try Annotations.read(at: package + "/" + annotations))
    let findings = try comparison.findings(toolchain.errors)
    for finding in findings { print(finding) }
    print(summary(comparison, findings))
    if !findings.isEmpty { exit(1) }
    let generated = [values: SymbolValues.source(interface), page: CompatibilityPage(comparison).text]
    for (file, text) in generated { try settle(package + "/" + file, text, writes: writes) }
  }

  static func summary(_ comparison: SymbolComparison, _ findings: [Finding]) -> String {
    let counts = Finding.Kind.allCases.map { kind in "\(findings.filter { $0.kind == kind }.count) \(kind.rawValue)" }
    return "\(comparison.list.count) symbols: " + counts.joined(separator: ", ")
      + "; \(comparison.annotations.extra.count) extra and \(comparison.annotations.different.count) different with a reason"
  }

  private static func settle(_ path: String, _ text: String, writes: Bool) throws {
    let there = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    if there == text { return }
    guard writes else { throw Toolchain.Failure(description: "\(path) is not current: make symbols") }
    try FileManager.default.createDirectory(
      at: URL(fileURLWithPath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    print("written: \(path)")
  }
}
