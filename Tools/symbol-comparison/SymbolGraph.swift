import Foundation

/// A symbol graph file of the compiler, as far as it is compared.
struct SymbolGraph: Decodable {
  struct Symbol: Decodable {
    struct Kind: Decodable { let identifier: String }
    struct Identifier: Decodable { let precise: String }
    struct Fragment: Decodable { let spelling: String }
    struct Comment: Decodable {
      struct Line: Decodable { let text: String }
      let lines: [Line]
    }
    struct Availability: Decodable { let isUnconditionallyDeprecated: Bool? }
    struct Location: Decodable {
      struct Position: Decodable { let line: Int }
      let uri: String
      let position: Position
    }

    let kind: Kind
    let identifier: Identifier
    let pathComponents: [String]
    let declarationFragments: [Fragment]?
    let docComment: Comment?
    let accessLevel: String
    let availability: [Availability]?
    let location: Location?

    /// Members that a type has by conforming to a protocol are repeated in the graph for each type.
    var isSynthesized: Bool { identifier.precise.contains("::SYNTHESIZED::") }
  }

  struct Relationship: Decodable {
    let kind: String
    let source: String
    let target: String
    let targetFallback: String?
  }

  let symbols: [Symbol]
  let relationships: [Relationship]
}

extension SymbolGraph {
  /// Every declaration but the defaults of protocol methods, which are noted with the methods.
  var interface: [InterfaceSymbol] {
    let paths = symbols.reduce(into: [String: String]()) {
      $0[$1.identifier.precise] = $1.pathComponents.joined(separator: ".")
    }
    var conformances: [String: Set<String>] = [:]
    var superclasses: [String: String] = [:]
    var overrides: Set<String> = []
    var defaults: Set<String> = []
    var withDefault: Set<String> = []
    var requirements: Set<String> = []
    for relationship in relationships {
      // "Foundation.NSCopying" is NSCopying here.
      let target =
        paths[relationship.target] ?? relationship.targetFallback?.split(separator: ".").last.map(String.init)
        ?? relationship.target
      switch relationship.kind {
      case "conformsTo": conformances[relationship.source, default: []].insert(target)
      case "inheritsFrom": superclasses[relationship.source] = target
      case "overrides": overrides.insert(relationship.source)
      case "requirementOf", "optionalRequirementOf": requirements.insert(relationship.source)
      case "defaultImplementationOf":
        defaults.insert(relationship.source)
        withDefault.insert(relationship.target)
      default: break
      }
    }
    return symbols.filter { !defaults.contains($0.identifier.precise) }.map { symbol in
      let precise = symbol.identifier.precise
      return InterfaceSymbol(
        path: symbol.pathComponents.joined(separator: "."), kind: symbol.kind.identifier, access: symbol.accessLevel,
        declaration: (symbol.declarationFragments ?? []).map(\.spelling).joined(),
        documentation: symbol.docComment?.lines.map(\.text).joined(separator: "\n") ?? "",
        isDeprecated: symbol.availability?.contains { $0.isUnconditionallyDeprecated == true } ?? false,
        isOverride: overrides.contains(precise), hasDefault: withDefault.contains(precise),
        superclass: superclasses[precise], conformances: conformances[precise] ?? [],
        file: symbol.location.map { $0.uri.replacing("file://", with: "") },
        line: symbol.location.map { $0.position.line + 1 }, isProtocolRequirement: requirements.contains(precise),
        isSynthesized: symbol.isSynthesized)
    }
  }
}
