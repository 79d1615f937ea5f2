/// Something that Apple's systems refuse, ignore, log or punish, or that Apple advises against, and that a program for this stack can do
/// without noticing.
public struct SystemRule: Hashable, Sendable {
  /// How bad it is.
  public enum Severity: String, Hashable, Sendable {
    /// The system refuses the call, loses data, never calls back, or ends the program.
    case error
    /// The system ignores a part, or Apple advises against it.
    case warning
  }

  /// It stays the same for ever: programs suppress rules by it.
  public let number: Int
  /// How bad it is.
  public let severity: Severity
  /// What breaks the rule.
  public let title: String
  /// What Apple's system does then.
  public let consequence: String
  /// Where that is from: Apple's page, or the field's reports.
  public let source: String
  /// What to do instead.
  public let remedy: String

  init(
    _ number: Int, _ severity: Severity, _ title: String, then consequence: String, from source: String,
    instead remedy: String
  ) {
    self.number = number
    self.severity = severity
    self.title = title
    self.consequence = consequence
    self.source = source
    self.remedy = remedy
  }

  public static func == (left: Self, right: Self) -> Bool { left.number == right.number }
  public func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

extension SystemRule {
  /// All rules, by number.
  public static let all: [SystemRule] =
    managers + scanning + connecting + discovering + values + publishing + requests + background + restoring
    + accessories

  static let numbers = Set(all.map(\.number))
}
