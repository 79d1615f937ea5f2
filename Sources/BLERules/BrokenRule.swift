import BLEAdapter
import BLECore

/// A rule that a program, or a device that it talks to, has broken.
public struct BrokenRule: Sendable, CustomStringConvertible {
  /// The rule.
  public let rule: SystemRule
  /// The name of the device on which it was noticed.
  public let device: String
  /// The manager that it is about; `nil` if it is about what the device has received.
  public let manager: ProgramManager?
  /// When it happened, on the device's loop.
  public let time: StackInstant
  /// What happened, in words.
  public let what: String

  /// "rule 50 (error) on phone after 2.000 s: readValue(for:) of FFF2, which cannot be read. ..."
  public var description: String {
    let milliseconds = time.nanoseconds / 1_000_000
    let fraction = String(1_000 + milliseconds % 1_000).dropFirst()
    return """
      rule \(rule.number) (\(rule.severity.rawValue)) on \(device) after \(milliseconds / 1_000).\(fraction) s: \(what). \
      \(rule.consequence) (\(rule.source)) Instead: \(rule.remedy)
      """
  }
}
