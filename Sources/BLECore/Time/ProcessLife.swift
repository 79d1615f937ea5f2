import Synchronization

/// Whether a process of a simulated world still exists: its jobs that wait for a loop are discarded when it has ended.
public final class ProcessLife: Sendable {
  private let end = Atomic(false)

  /// A process that has not ended.
  public init() {}

  /// From any thread.
  public var hasEnded: Bool { end.load(ordering: .relaxed) }

  /// The process does not exist any more. From any thread.
  public func finish() { end.store(true, ordering: .relaxed) }
}
