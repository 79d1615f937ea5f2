/// Observes what a program and the facade say to each other: each public call, and each delegate method that is called.
///
/// An adapter carries it (`Adapter.programObserver`), and a manager takes it over when it is made. Without one a call or a callback
/// costs one comparison.
public protocol ProgramObserver: AnyObject, Sendable {
  /// A manager is being made on the adapter.
  /// - Returns: its number, by which the observer knows it: unique among the managers of the adapter; `nil` to observe nothing of it.
  func programMakesManager(_ role: ProgramManager.Role) -> Int?

  /// Called for each event, in the order in which they happen: for a call in the thread that makes it, before it has any effect; for
  /// a callback on the manager's queue. Events of several threads come at the same time.
  ///
  /// It must neither wait nor call the facade.
  func program(did event: ProgramEvent)
}

/// A manager, as an observer knows it.
public struct ProgramManager: Hashable, Sendable {
  /// What it is for.
  public enum Role: String, Hashable, Sendable {
    case central
    case peripheral
  }

  /// Whether it is a central manager or a peripheral manager.
  public let role: Role
  /// The number that the observer has given it.
  public let number: Int

  public init(role: Role, number: Int) {
    self.role = role
    self.number = number
  }
}
