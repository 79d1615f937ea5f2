import Foundation

/// Declarations as texts that can be compared.
enum DeclarationText {
  /// Without what is compared by itself (`optional`, `@discardableResult`) or says nothing to a caller (`override`); a constant
  /// member is a property that can be read.
  static func normalized(_ declaration: String, owner: String?) -> String {
    var words = declaration.split(separator: " ").map(String.init)
    words.removeAll { ["@discardableResult", "override", "optional"].contains($0) }
    var text = words.joined(separator: " ")
    if let owner {
      // A protocol's member speaks of the type that has it.
      text = text.replacing("Self.", with: owner + ".")
      for keywords in ["let ", "static let "] where text.hasPrefix(keywords) {
        text = keywords.replacing("let", with: "var") + text.dropFirst(keywords.count) + " { get }"
      }
    }
    return text
  }

  /// `nil` unless the text declares a variable or constant.
  static func type(of declaration: String) -> String? {
    guard let match = declaration.firstMatch(of: /\b(?:var|let) \w+: (.*)/) else { return nil }
    return String(match.1.prefix { $0 != "{" }).trimmingCharacters(in: .whitespaces)
  }
}
