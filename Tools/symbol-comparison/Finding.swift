/// One way in which the module is not what the list says.
struct Finding: Hashable, CustomStringConvertible, Sendable {
  enum Kind: String, Sendable, CaseIterable {
    case missing, different, extra
    /// The documentation does not say since when Apple's systems have the symbol.
    case undocumented
    /// The annotations name something that is not so (any more).
    case stale
  }

  let kind: Kind
  /// The list's id; the path of what is not in the list.
  let symbol: String
  let detail: String

  init(_ kind: Kind, _ symbol: String, _ detail: String) {
    self.kind = kind
    self.symbol = symbol
    self.detail = detail
  }

  var description: String { "\(kind.rawValue): \(symbol): \(detail)" }
}
