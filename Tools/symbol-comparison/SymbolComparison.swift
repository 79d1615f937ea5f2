/// Compares the list of Core Bluetooth's symbols with what the compiler says about the module.
struct SymbolComparison {
  let list: [ListedSymbol]
  let interface: [InterfaceSymbol]
  let annotations: Annotations
  private let byPath: [String: [InterfaceSymbol]]
  private let listed: [String: ListedSymbol]

  init(list: [ListedSymbol], interface: [InterfaceSymbol], annotations: Annotations) {
    self.list = list
    self.interface = interface
    self.annotations = annotations
    byPath = Dictionary(grouping: interface, by: \.path)
    listed = Dictionary(list.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// What is not as the list says, less the differences that are meant.
  ///
  /// - Parameter errors: tells which lines of a source do not compile, with the reason.
  func findings(_ errors: (String) throws -> [Int: String]) throws -> [Finding] {
    let found = list.flatMap(findings(about:)) + extras() + (try CompilerProbe(list).findings(errors))
    let meant = Set(annotations.different.keys)
    return found.filter { $0.kind != .different || !meant.contains($0.symbol) } + stale(found)
  }

  /// The declaration that stands for a symbol of the list; of several with one name the one that is declared like it.
  func declaration(of symbol: ListedSymbol) -> InterfaceSymbol? {
    let candidates = byPath[symbol.symbol] ?? []
    if symbol.isType { return candidates.first { $0.kind != "swift.typealias" } }
    let wanted = DeclarationText.normalized(symbol.declaration, owner: symbol.owner)
    return candidates.first { DeclarationText.normalized($0.declaration, owner: $0.owner) == wanted }
      ?? candidates.first
  }

  private func findings(about symbol: ListedSymbol) -> [Finding] {
    // The compiler is asked about these.
    if symbol.isUnavailable || symbol.isHiddenFromGraphs { return [] }
    guard let found = declaration(of: symbol) else { return [Finding(.missing, symbol.id, symbol.declaration)] }
    var details = symbol.isType ? differences(ofType: symbol, found) : differences(ofMember: symbol, found)
    if (symbol.deprecated != nil) != found.isDeprecated {
      details.append(found.isDeprecated ? "deprecated here only" : "deprecated on Apple's systems only")
    }
    return details.map { Finding(.different, symbol.id, $0) } + documentation(of: symbol, found)
  }

  private func differences(ofType symbol: ListedSymbol, _ found: InterfaceSymbol) -> [String] {
    var details: [String] = []
    let kind = symbol.kind == "protocol" ? "protocol" : symbol.typeKind ?? ""
    if found.kind != "swift.\(kind)" { details.append("a \(found.kind), not a \(kind)") }
    let access = symbol.access ?? (symbol.typeKind == "class" ? "open" : "public")
    if found.access != access { details.append("\(found.access), not \(access)") }
    if let superclass = symbol.superclass, found.superclass != superclass {
      details.append("inherits from \(found.superclass ?? "nothing"), not from \(superclass)")
    }
    return details
  }

  private func differences(ofMember symbol: ListedSymbol, _ found: InterfaceSymbol) -> [String] {
    var details: [String] = []
    let wanted = DeclarationText.normalized(symbol.declaration, owner: symbol.owner)
    let here = DeclarationText.normalized(found.declaration, owner: found.owner)
    if here != wanted { details.append("declared as \(here), not as \(wanted)") }
    // Everything that comes from Objective-C can be overridden.
    let isOpen =
      ["property", "method"].contains(symbol.kind)
      && symbol.owner.flatMap { listed[$0] }?.typeKind == "class"
    let access = isOpen ? "open" : "public"
    if found.access != access { details.append("\(found.access), not \(access)") }
    if found.declaration.contains("@discardableResult") != (symbol.discardableResult ?? false) {
      details.append(symbol.discardableResult == true ? "lacks @discardableResult" : "has @discardableResult")
    }
    if symbol.kind == "protocol-method", found.hasDefault != (symbol.optional ?? false) {
      details.append(found.hasDefault ? "may be left out" : "must be implemented")
    }
    if let value = symbol.rawValue, let here = found.rawValue, here != value {
      details.append("has the number \(here), not \(value)")
    }
    return details
  }

  /// Says nothing where the owner's documentation says the same.
  private func documentation(of symbol: ListedSymbol, _ found: InterfaceSymbol) -> [Finding] {
    guard !found.isSynthesized, let wanted = Availability.text(of: symbol) else { return [] }
    let ownerSays = symbol.owner.flatMap { listed[$0] }.flatMap(Availability.text)
    let said = Availability.said(in: found.documentation)
    guard (said ?? ownerSays) != wanted else { return [] }
    return [Finding(.undocumented, symbol.id, "Availability: \(wanted).")]
  }

  private func extras() -> [Finding] {
    let known = Set(list.map(\.symbol))
    let paths = interface.filter { !$0.isSynthesized && !$0.isOverride && !known.contains($0.path) }.map(\.path)
    return Set(paths).sorted().filter { annotations.extra[$0] == nil }.map {
      Finding(.extra, $0, byPath[$0]?.first?.declaration ?? "")
    }
  }

  private func stale(_ found: [Finding]) -> [Finding] {
    let different = Set(found.filter { $0.kind == .different }.map(\.symbol))
    let extras = annotations.extra.keys.filter { byPath[$0] == nil }
    let differences = annotations.different.keys.filter { !different.contains($0) }
    let statuses = annotations.statuses.flatMap(\.symbols).filter { listed[$0] == nil }
    return
      (extras.map { Finding(.stale, $0, "is not declared, and is called extra") }
      + differences.map { Finding(.stale, $0, "does not differ") }
      + statuses.map { Finding(.stale, $0, "has a status, and is not in the list") }).sorted { $0.symbol < $1.symbol }
  }
}
