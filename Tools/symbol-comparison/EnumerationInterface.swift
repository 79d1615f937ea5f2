import Foundation

/// Reads the Swift interface that the compiler prints for the enumerations in C: symbol graphs have neither their raw values nor
/// their documentation.
enum EnumerationInterface {
  /// The enumerations of error codes have a name of their own in C, and are known by another one in Swift.
  static let names = ["CBErrorCode": "CBError.Code", "CBATTErrorCode": "CBATTError.Code"]

  /// - Parameter text: one declaration a line, comments and attributes above it.
  static func symbols(in text: String) -> [InterfaceSymbol] {
    var symbols: [InterfaceSymbol] = []
    var owner: InterfaceSymbol?
    var comment: [String] = []
    var isDeprecated = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let line = line.trimmingCharacters(in: .whitespaces)
      if line.hasPrefix("///") {
        comment.append(line.dropFirst(3).trimmingCharacters(in: .whitespaces))
        continue
      }
      if line.hasPrefix("@available") {
        isDeprecated = isDeprecated || line.contains("deprecated")
        continue
      }
      defer {
        comment = []
        isDeprecated = false
      }
      if line == "}" { owner = nil }
      guard var symbol = declaration(line, of: owner) else { continue }
      symbol.documentation = comment.joined(separator: "\n")
      symbol.isDeprecated = isDeprecated || owner?.isDeprecated == true
      if symbol.kind == "swift.enum" {
        owner = symbol
        symbols += implied(by: symbol)
      }
      symbols.append(symbol)
    }
    return symbols
  }

  private static func declaration(_ line: String, of owner: InterfaceSymbol?) -> InterfaceSymbol? {
    if let match = line.wholeMatch(of: /public enum (\w+) : (\w+)(?:, .*)? \{/) {
      let name = String(match.1)
      let path = names[name] ?? name
      let last = path.split(separator: ".").last.map(String.init) ?? path
      return InterfaceSymbol(
        path: path, kind: "swift.enum", access: "public", declaration: "enum \(last) : \(match.2)", documentation: "")
    }
    guard let owner else { return nil }
    if let match = line.wholeMatch(of: /case (\w+) = (-?\d+)/) {
      return InterfaceSymbol(
        path: "\(owner.path).\(match.1)", kind: "swift.enum.case", access: "public", declaration: "case \(match.1)",
        documentation: "", rawValue: Int(match.2))
    }
    // A second name for a number.
    if let match = line.wholeMatch(of: /public static var (\w+): (\w+) \{ get \}/) {
      let type = names[String(match.2)] ?? String(match.2)
      return InterfaceSymbol(
        path: "\(owner.path).\(match.1)", kind: "swift.type.property", access: "public",
        declaration: "static var \(match.1): \(type) { get }", documentation: "")
    }
    return nil
  }

  /// What every enumeration with raw values has.
  private static func implied(by owner: InterfaceSymbol) -> [InterfaceSymbol] {
    var initializer = owner
    initializer.path += ".init(rawValue:)"
    initializer.kind = "swift.init"
    initializer.declaration = "init?(rawValue: Int)"
    var rawValue = owner
    rawValue.path += ".rawValue"
    rawValue.kind = "swift.property"
    rawValue.declaration = "var rawValue: Int { get }"
    return [initializer, rawValue]
  }
}
