/// One public declaration of the module as the compiler sees it.
struct InterfaceSymbol: Sendable {
  /// The Swift name with its owners: `CBError.Code.unknown`.
  var path: String
  /// The symbol graph's word: `swift.method`.
  var kind: String
  var access: String
  /// Without access; with attributes.
  var declaration: String
  var documentation: String
  var isDeprecated = false
  /// A declaration of `NSObject` again.
  var isOverride = false
  /// A method of a protocol that the protocol has a default for.
  var hasDefault = false
  var superclass: String?
  var conformances: Set<String> = []
  /// Of a case.
  var rawValue: Int?
  var file: String?
  /// From 1.
  var line: Int?

  var isClass: Bool { kind == "swift.class" }
  var isProtocolRequirement = false
  /// There by conforming to a protocol of another module, which declares it.
  var isSynthesized = false

  /// The path without the last name; `nil` for what is declared on the file's level.
  var owner: String? {
    guard let dot = path.prefix(while: { $0 != "(" }).lastIndex(of: ".") else { return nil }
    return String(path[..<dot])
  }
}
