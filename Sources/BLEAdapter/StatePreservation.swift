/// Which manager a preserved state belongs to, within one program on one adapter.
public struct PreservationKey: Hashable, Sendable {
  public enum Role: String, Sendable {
    case central
    case peripheral
  }

  public let role: Role
  /// The restore identifier that the program chose.
  public let identifier: String

  public init(_ role: Role, _ identifier: String) {
    self.role = role
    self.identifier = identifier
  }
}

/// The state of one manager, kept where it survives the process, and given to the next process's manager of that key where
/// this one's ended without a proper end. Everything on the loop.
///
/// Whoever has it has it alone, until `end()` or the end of the process.
public protocol PreservedState: AnyObject {
  /// What the manager of an earlier process left behind; `nil` where there was none, or where it was ended properly.
  var left: [UInt8]? { get }
  /// Asked for the state each time it is written; `nil` where there is nothing to preserve.
  var source: (() -> [UInt8]?)? { get set }
  /// The state has changed: it is written in a moment, many changes together.
  func setChanged()
  /// Nothing can be made of `left`: it is put away, and the log says why.
  func setAside(because reason: String)
  /// The manager has ended properly: nothing is left of it.
  func end()
}
