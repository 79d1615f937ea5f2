/// A queue on which a program may run code of its own, beside the callbacks that it gets there.
public struct ProgramQueue: Sendable {
  /// Equal for the same queue.
  public let identity: ObjectIdentifier
  /// What the program calls it.
  public let label: String
  let passThrough: @Sendable (_ arrived: @escaping @Sendable () -> Void) -> Void

  /// - Parameter passThrough: calls `arrived` on the queue when everything that is on it now has been done. It keeps `queue`.
  public init(
    _ queue: AnyObject, label: String,
    passThrough: @escaping @Sendable (_ arrived: @escaping @Sendable () -> Void) -> Void
  ) {
    identity = ObjectIdentifier(queue)
    self.label = label
    self.passThrough = passThrough
  }
}

/// Which process of a simulated world a queue or a callback belongs to.
public struct ProcessNumber: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// Of what belongs to none.
  public static let common = ProcessNumber(rawValue: 0)
}

extension StackLoop {
  /// In real time there is nothing to wait for.
  public func follow(_ queue: ProgramQueue) {}
  public func unfollow(_ queue: ProgramQueue) {}
}
