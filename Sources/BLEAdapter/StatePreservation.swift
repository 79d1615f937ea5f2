/// The manager that a preserved state belongs to, within one program on one adapter.
public struct PreservationKey: Hashable, Sendable {
  public enum Role: String, Sendable {
    case central
    case peripheral
  }

  public let role: Role
  /// The program's restore identifier.
  public let identifier: String

  public init(_ role: Role, _ identifier: String) {
    self.role = role
    self.identifier = identifier
  }
}

/// The state of one manager. It survives the process, and is passed to the manager with this key in the next process, unless this
/// manager ends properly. Everything on the loop.
///
/// It has one holder at a time, until `end()` or the end of the process.
public protocol PreservedState: AnyObject {
  /// The state that the manager of an earlier process left; `nil` if there was none, or it ended properly.
  var left: [UInt8]? { get }
  /// Called for the state each time it is written; returns `nil` if there is nothing to preserve.
  var source: (() -> [UInt8]?)? { get set }
  /// Reports that the state has changed: it is written after a short time, many changes together.
  func setChanged()
  /// Reports that `left` is unusable: it is set aside, and the reason is logged.
  func setAside(because reason: String)
  /// Reports that the manager has ended properly: its state is removed.
  func end()
}
