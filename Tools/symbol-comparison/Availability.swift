/// Since when Apple's systems have a symbol, as the documentation comments say it.
enum Availability {
  private static let systems = ["iOS", "macOS", "tvOS", "watchOS", "visionOS"]

  /// `nil` where the list knows nothing about the symbol.
  static func text(of symbol: ListedSymbol) -> String? {
    let introduced = list(symbol.introduced)
    guard !introduced.isEmpty || symbol.deprecated != nil else { return nil }
    var parts = introduced.isEmpty ? [] : [introduced]
    if !symbol.unavailableOn.isEmpty { parts.append("not on " + symbol.unavailableOn.joined(separator: ", ")) }
    if let deprecated = symbol.deprecated {
      let versions = list(deprecated)
      parts.append(versions.isEmpty ? "deprecated" : "deprecated in " + versions)
    }
    return parts.joined(separator: "; ")
  }

  /// What a comment says after "Availability:".
  static func said(in documentation: String) -> String? {
    let mark = "Availability: "
    let line = documentation.split(separator: "\n").first { $0.hasPrefix(mark) && $0.hasSuffix(".") }
    return line.map { String($0.dropFirst(mark.count).dropLast()) }
  }

  private static func list(_ versions: [String: String]) -> String {
    systems.compactMap { system in versions[system].map { "\(system) \($0)" } }.joined(separator: ", ")
  }
}
