/// The rules of one version of Apple's systems, and what a test says about its app.
public struct RuleSet: Sendable {
  /// A rule that is not judged, with the reason.
  public struct Suppression: Hashable, Sendable {
    /// The number of the rule.
    public let number: Int
    /// Why the program breaks it on purpose.
    public let reason: String

    /// - Parameters:
    ///   - number: the rule's.
    ///   - reason: why the program breaks it on purpose.
    public init(_ number: Int, because reason: String) {
      self.number = number
      self.reason = reason
    }
  }

  /// What the Info.plist of the app says. Rules about it are judged only where it is given.
  public struct ApplicationInformation: Hashable, Sendable {
    /// `NSBluetoothAlwaysUsageDescription`.
    public var usageDescription: String?
    /// `UIBackgroundModes`.
    public var backgroundModes: Set<String>

    /// What the Info.plist says; keys that it does not have are `nil` or absent.
    public init(usageDescription: String?, backgroundModes: Set<String> = []) {
      self.usageDescription = usageDescription
      self.backgroundModes = backgroundModes
    }
  }

  /// Where a set was written.
  public struct Place: Hashable, Sendable {
    /// The module and the file.
    public let fileID: String
    /// The path of the file.
    public let filePath: String
    /// The line, from 1.
    public let line: Int
    /// The column, from 1.
    public let column: Int
  }

  /// The oldest version whose rules these are.
  public static let oldestVersion = 13

  /// The version of iOS.
  public let version: Int
  /// The rules that are not judged.
  public let suppressions: [Suppression]
  /// The app's Info.plist; `nil` if it is not judged.
  public let information: ApplicationInformation?
  /// Where the set was written: there a broken rule is reported.
  public let place: Place

  /// The rules of iOS.
  /// - Parameters:
  ///   - version: of iOS, 13 or later.
  ///   - suppressions: rules that are not judged. One that is named twice, does not exist, or has no reason, is a mistake of the test.
  ///   - information: the app's Info.plist.
  public static func iOS(
    _ version: Int, suppressing suppressions: [Suppression] = [], information: ApplicationInformation? = nil,
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) -> RuleSet {
    RuleSet(
      version: version, suppressions: suppressions, information: information,
      place: Place(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// What is wrong with this set, in words; empty if nothing is.
  public var mistakes: [String] {
    var mistakes: [String] = []
    if version < Self.oldestVersion {
      mistakes.append("there are no rules of iOS \(version): the oldest is \(Self.oldestVersion)")
    }
    var seen: Set<Int> = []
    for suppression in suppressions {
      let rule = "rule \(suppression.number)"
      if !SystemRule.numbers.contains(suppression.number) {
        mistakes.append("\(rule) cannot be suppressed: there is no such rule")
      } else if !seen.insert(suppression.number).inserted {
        mistakes.append("\(rule) is suppressed twice")
      }
      if suppression.reason.allSatisfy(\.isWhitespace) {
        mistakes.append("\(rule) is suppressed without a reason: say why the program breaks it on purpose")
      }
    }
    return mistakes
  }

  var suppressed: Set<Int> { Set(suppressions.map(\.number)) }
}
