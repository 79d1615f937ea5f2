import Foundation

/// Makes the symbol graph for the documentation: the module's, and in it the enumerations that come from C, with their comments
/// and under the names that programs know.
struct DocumentationGraph {
  private var root: [String: Any]
  private var symbols: [[String: Any]]
  private var relationships: [[String: Any]]

  /// - Parameters:
  ///   - module: the symbol graph of the module.
  ///   - enumerations: the symbol graph of the module in C.
  ///   - interface: what is known of the enumerations.
  init(module: Data, enumerations: Data, interface: [InterfaceSymbol]) throws {
    root = try Self.object(module)
    symbols = root["symbols"] as? [[String: Any]] ?? []
    relationships = root["relationships"] as? [[String: Any]] ?? []
    let added = try Self.object(enumerations)
    let comments = Dictionary(interface.map { ($0.path, $0.documentation) }, uniquingKeysWith: { first, _ in first })
    // The name that the codes have in Swift is their type's here.
    let aliases = Set(EnumerationInterface.names.values)
    symbols.removeAll { Self.kind(of: $0) == "swift.typealias" && aliases.contains(Self.path(of: $0)) }
    let owners = symbols.reduce(into: [String: String]()) { $0[Self.path(of: $1)] = Self.identifier(of: $1) }
    for symbol in added["symbols"] as? [[String: Any]] ?? [] {
      let renamed = Self.renamed(symbol, comments: comments)
      symbols.append(renamed)
      if let type = EnumerationInterface.names[Self.path(of: symbol)], let identifier = Self.identifier(of: symbol),
        let owner = type.split(separator: ".").first.flatMap({ owners[String($0)] })
      {
        relationships.append(["kind": "memberOf", "source": identifier, "target": owner])
      }
    }
    relationships += added["relationships"] as? [[String: Any]] ?? []
  }

  func data() throws -> Data {
    var root = root
    root["symbols"] = symbols
    root["relationships"] = relationships
    return try JSONSerialization.data(withJSONObject: root, options: [.sortedKeys])
  }

  private static func renamed(_ symbol: [String: Any], comments: [String: String]) -> [String: Any] {
    var symbol = symbol
    var parts = symbol["pathComponents"] as? [String] ?? []
    if let first = parts.first, let type = EnumerationInterface.names[first] {
      parts.replaceSubrange(0..<1, with: type.split(separator: ".").map(String.init))
      symbol["pathComponents"] = parts
      if var names = symbol["names"] as? [String: Any], let title = names["title"] as? String {
        names["title"] = title.replacing(first, with: type)
        symbol["names"] = names
      }
      symbol["declarationFragments"] = spelled(symbol["declarationFragments"], first, as: type)
    }
    if let comment = comments[parts.joined(separator: ".")], !comment.isEmpty {
      symbol["docComment"] = [
        "lines": comment.split(separator: "\n", omittingEmptySubsequences: false).map { ["text": $0] }
      ]
    }
    return symbol
  }

  private static func spelled(_ fragments: Any?, _ name: String, as type: String) -> Any {
    (fragments as? [[String: Any]] ?? []).map { fragment -> [String: Any] in
      guard fragment["spelling"] as? String == name else { return fragment }
      var fragment = fragment
      fragment["spelling"] = type
      return fragment
    }
  }

  private static func object(_ data: Data) throws -> [String: Any] {
    try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
  }

  private static func path(of symbol: [String: Any]) -> String {
    (symbol["pathComponents"] as? [String] ?? []).joined(separator: ".")
  }

  private static func kind(of symbol: [String: Any]) -> String? {
    (symbol["kind"] as? [String: Any])?["identifier"] as? String
  }

  private static func identifier(of symbol: [String: Any]) -> String? {
    (symbol["identifier"] as? [String: Any])?["precise"] as? String
  }
}
