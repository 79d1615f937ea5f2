import Foundation

/// Finds delegate methods that only a subclass of the delegate's class has. Objective-C calls them; Swift, where they are methods
/// of a protocol with a default, does not.
struct SubclassMethods {
  struct Finding: Hashable, CustomStringConvertible {
    let file: String
    /// From 1.
    let line: Int
    let type: String
    let method: String
    let delegate: String

    /// As the compiler writes it, so that editors find the place.
    var description: String {
      "\(file):\(line): error: \(type).\(method) is never called on Linux: \(type) inherits from a class that is the "
        + "\(delegate), and that class does not have the method. Add it there, empty, and override it here."
    }
  }

  /// - Parameter graphs: symbol graphs with all access levels, of the module and of those whose classes it inherits from.
  static func findings(in graphs: [Data]) throws -> [Finding] {
    let graphs = try graphs.map { try JSONDecoder().decode(Graph.self, from: $0) }
    let relationships = graphs.flatMap(\.relationships)
    let superclasses = relationships.filter { $0.kind == "inheritsFrom" }.reduce(into: [String: String]()) {
      $0[$1.source] = $1.target
    }
    let overrides = Set(relationships.filter { $0.kind == "overrides" }.map(\.source))
    let types = relationships.filter { $0.kind == "memberOf" }.reduce(into: [String: String]()) {
      $0[$1.source] = $1.target
    }
    // An inherited conformance is noted with the subclass as well.
    let conformances = relationships.filter { $0.kind == "conformsTo" }
      .reduce(into: [String: Set<String>]()) { $0[$1.source, default: []].insert($1.target) }
    let symbols = graphs.flatMap(\.symbols)
    return symbols.compactMap { symbol -> Finding? in
      let identifier = symbol.identifier.precise
      guard symbol.kind.identifier == "swift.method", !overrides.contains(identifier),
        let method = symbol.pathComponents.last, let type = types[identifier], let superclass = superclasses[type]
      else { return nil }
      for (delegate, methods) in DelegateMethods.all where methods.contains(method) {
        // Swift's name for a protocol of this module: its length, itself, and a P.
        let mark = "s:13CoreBluetooth\(delegate.utf8.count)\(delegate)P"
        let isDelegate = conformances[type]?.contains(mark) ?? false
        let isInherited = conformances[superclass]?.contains(mark) ?? false
        guard isDelegate, isInherited else { continue }
        return Finding(
          file: symbol.location?.path ?? "?", line: (symbol.location?.position.line ?? 0) + 1,
          type: symbol.pathComponents.dropLast().joined(separator: "."), method: method, delegate: delegate)
      }
      return nil
    }
  }

  private struct Graph: Decodable {
    struct Symbol: Decodable {
      struct Kind: Decodable { let identifier: String }
      struct Identifier: Decodable { let precise: String }
      struct Location: Decodable {
        struct Position: Decodable { let line: Int }
        let uri: String
        let position: Position
        var path: String { URL(string: uri)?.path ?? uri }
      }
      let kind: Kind
      let identifier: Identifier
      let pathComponents: [String]
      let location: Location?
    }

    struct Relationship: Decodable {
      let kind: String
      let source: String
      let target: String
    }

    let symbols: [Symbol]
    let relationships: [Relationship]
  }
}
